"""Parts of analysis.R that are the same in every bundle."""

TABLE = """
# Estimates with standard errors, tests and 95 % intervals: t with df, else normal.
estimates <- function(terms, estimate, covariance, df = Inf, ratio = NULL) {
  error <- sqrt(diag(covariance))
  half <- qt(0.975, df) * error
  found <- data.frame(term = terms, estimate = estimate, std_error = error, statistic = estimate / error,
    p_value = 2 * pt(-abs(estimate / error), df), conf_low = estimate - half, conf_high = estimate + half,
    row.names = NULL)
  if (!is.null(ratio)) {
    found[[ratio]] <- exp(estimate)
    found[[paste0(ratio, "_low")]] <- exp(estimate - half)
    found[[paste0(ratio, "_high")]] <- exp(estimate + half)
  }
  found
}
"""

CENTRED = """
# Powers of a variable are fitted around its middle, where they are far less collinear; `back` turns the
# coefficients into those of the plain powers. The scale is a power of two, which rounds nothing.
middles <- list()
around <- function(x, name) {
  middle <- (min(x) + max(x)) / 2
  middles[[name]] <<- c(middle, 2 ^ ceiling(log2(max(x) - middle)))
  (x - middle) / middles[[name]][2]
}
put_back <- function(names) {
  back <- diag(length(names))
  for (name in base::names(middles)) {
    centred <- paste0(name, "..centred")
    power <- function(k) {
      if (k == 0) "(Intercept)" else if (k == 1) centred else paste0("I(", centred, "^", k, ")")
    }
    degree <- 1
    while (power(degree + 1) %in% names) degree <- degree + 1
    for (k in seq_len(degree)) for (i in 0:k) {
      back[match(power(i), names), match(power(k), names)] <-
        choose(k, i) * (-middles[[name]][1]) ^ (k - i) / middles[[name]][2] ^ k
    }
  }
  back
}
plain_names <- function(names) {
  for (name in base::names(middles)) names <- gsub(paste0(name, "..centred"), name, names, fixed = TRUE)
  names
}
"""

NOT_CENTRED = """
put_back <- function(names) diag(length(names))
plain_names <- function(names) names
"""

LEAST_SQUARES = """
# a * b and its rounding error (Dekker 1971).
product <- function(a, b) {
  halves <- function(v) { high <- 134217729 * v; high <- high - (high - v); list(high, v - high) }
  A <- halves(a); B <- halves(b); made <- a * b
  list(made, ((A[[1]] * B[[1]] - made) + A[[1]] * B[[2]] + A[[2]] * B[[1]]) + A[[2]] * B[[2]])
}
# One step of refinement with sums to twice the working precision (R sums in long double where there is one).
refined <- function(Z, y, coefficients) {
  if (length(Z) > 1e6 || max(abs(Z), abs(y)) > 1e100) return(coefficients)
  parts <- lapply(product(Z, matrix(coefficients, nrow(Z), ncol(Z), byrow = TRUE)), function(part) -part)
  parts <- cbind(y, parts[[1]], parts[[2]])
  high <- rowSums(parts)
  low <- rowSums(cbind(parts, -high))
  whole <- product(Z, matrix(high, nrow(Z), ncol(Z)))
  gradient <- colSums(rbind(whole[[1]], whole[[2]], Z * low))
  R <- qr.R(qr(Z, tol = 1e-14))
  coefficients + backsolve(R, backsolve(R, gradient, transpose = TRUE))
}
"""

LINEAR = """
# Standard deviation where rows weigh differently.
spread <- function(x, w) sqrt(sum(w * (x - weighted.mean(x, w))^2) / sum(w) * length(x) / (length(x) - 1))
coefficients <- coef(fit)
kept <- !is.na(coefficients)  # R leaves out what is a combination of the terms before it
Z <- model.matrix(fit)[, kept, drop = FALSE]
coefficients <- coefficients[kept]
"""

FIT = """
cat(sprintf("residual df = %d, residual standard deviation = %.10g, R2 = %.10g, adjusted R2 = %.10g\\n",
  df.residual(fit), summary(fit)$sigma, summary(fit)$r.squared, summary(fit)$adj.r.squared))
"""

SHOW = """
print(format(found, digits = 7), row.names = FALSE)
write.csv(found, "estimates.csv", row.names = FALSE, fileEncoding = "UTF-8")
"""

MULTINOM = """
# Sandwich of the scores (outcome minus probability, times term); nnet has no method for it.
robust <- function(fit, groups, weights) {
  X <- model.matrix(fit)
  P <- fitted(fit)
  if (is.null(dim(P)) || ncol(P) == 1) P <- cbind(1 - c(P), c(P))
  outcome <- model.response(model.frame(fit))
  Y <- outer(as.character(outcome), levels(outcome), "==") * 1
  scores <- do.call(cbind, lapply(2:ncol(P), function(j) X * (Y[, j] - P[, j]) * weights))
  sums <- rowsum(scores, groups)
  G <- nrow(sums)
  bread <- vcov(fit)
  bread %*% crossprod(sums) %*% bread * G / (G - 1)
}
"""
