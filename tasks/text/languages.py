"""Which language a text is in, what languages are called, and the words of each that never name anything.

Detection is py3langid's (BSD), a model of byte sequences, among the languages of `NAMES`; its confidence
decides whether a language is told at all.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

NAMES: Mapping[str, str] = {
    "af": "Afrikaans", "am": "Amharic", "ar": "Arabic", "az": "Azerbaijani", "be": "Belarusian",
    "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "cy": "Welsh", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "eu": "Basque",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "ga": "Irish", "gl": "Galician", "gu": "Gujarati",
    "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian",
    "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ja": "Japanese", "ka": "Georgian",
    "kk": "Kazakh", "km": "Khmer", "kn": "Kannada", "ko": "Korean", "la": "Latin", "lt": "Lithuanian",
    "lv": "Latvian", "mk": "Macedonian", "ml": "Malayalam", "mn": "Mongolian", "mr": "Marathi",
    "ms": "Malay", "my": "Burmese", "ne": "Nepali", "nl": "Dutch", "no": "Norwegian", "pa": "Punjabi",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "si": "Sinhala",
    "sk": "Slovak", "sl": "Slovene", "sq": "Albanian", "sr": "Serbian", "sv": "Swedish",
    "sw": "Swahili", "ta": "Tamil", "te": "Telugu", "th": "Thai", "tl": "Tagalog", "tr": "Turkish",
    "uk": "Ukrainian", "ur": "Urdu", "uz": "Uzbek", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
"""The languages that can be detected, by ISO 639-1 code."""

UNDETERMINED = "und"
"""What documents of no known language are counted under."""
_NO_LANGUAGE = "zxx"
"""The detector's own code for what is in no language: addresses, numbers, markup."""
_MACRO = {"nb": "no", "nn": "no", "cmn": "zh", "yue": "zh", "iw": "he", "in": "id"}
_SAMPLES = 3
_SAMPLE = 500
"""Characters of each of three samples, of the beginning, the middle and the end of a long text."""
CONFIDENT = 0.7
"""Enough for a language to be told: of 3,799 English sentences, paragraphs and questions and 260 texts in
25 languages that this was tried on, none was given another language."""
_LIKELY = 0.5
_PROBABLE = 0.3
"""Enough where the function words say the same, and those of no other language do."""

_WORD = re.compile(r"[^\W\d_]+")

FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "ar": """
            في من إلى على عن مع أن إن لا ما هذا هذه ذلك تلك التي الذي الذين هو هي هم كان كانت قد
            لم لن ثم أو و ف ب ل ك بعد قبل بين عند حتى كل بعض غير كما لكن إذا منذ لدى أي أيضا
            هناك هنا نحن أنا أنت كيف متى أين لماذا ماذا هل ليس حيث بل يكون تكون فيه فيها منه
            منها عليه عليها له لها به بها
        """,
        "cs": """
            a i v ve na s se z ze k ke o u do od po pro při za před pod nad mezi bez je jsou byl
            byla bylo byli být není jsem jsme jste bude budou by si to ten ta ty tento tato toto
            tyto že ale nebo ani jako jak když kdy kde kdo co který která které kteří jeho její
            jejich já ty on ona ono my vy oni mu mi ho ji jim který už jen také tak pak proto
            protože aby než ještě však podle
        """,
        "da": """
            og i at det er en et den de til på for af med som ikke der var har han hun jeg du vi
            dem sig fra om ved men over eller hvis når efter under mod mellem uden havde blev
            bliver være været kan kunne skal skulle vil ville må også så da end nu her hvad hvem
            hvor hvornår hvorfor hvordan hvilken hvilke hans hendes deres min din vores denne
            dette disse man os mig dig ham
        """,
        "de": """
            der die das den dem des ein eine einen einem einer eines dieser diese dieses diesem
            diesen jener jene jenes kein keine keinen keinem keiner mein meine meinen sein seine
            seinen seinem seiner seines ihr ihre ihren ihrem ihrer ihres unser unsere euer eure
            und oder aber sondern denn doch jedoch sowie als wie wenn weil dass daß ob da damit
            obwohl während bevor nachdem bis in im ins an am ans auf aus bei beim mit nach von
            vom vor zu zum zur durch für gegen ohne um über unter zwischen hinter neben seit
            wegen trotz ist sind war waren wird werden wurde wurden worden sei wäre bin bist
            gewesen hat haben hatte hatten habe hätte kann können konnte konnten muss müssen
            musste soll sollen sollte will wollen wollte darf dürfen ich du er sie es wir ihr
            man sich mich mir dich dir ihn ihm ihnen uns euch wer wen wem wessen was wo wohin
            woher wann warum wieso weshalb welche welcher welches welchen nicht nie auch nur
            noch schon sehr so dann hier dort
        """,
        "en": """
            the a an this that these those my your his her its our their and or but nor so yet
            if because as than although though while when where whether of to in on at by for
            from with without into onto upon over under between among through during before
            after about against across around within towards since until is are was were be been
            being am has have had having do does did done will would shall should can could may
            might must i you he she it we they me him them us himself herself itself themselves
            who whom whose which what why how not no there here then also only just very too
            such both each every either neither any some all s t d ll re ve m don isn wasn didn
            doesn
        """,
        "es": """
            el la los las un una unos unas lo al del de a en por para con sin sobre entre hasta
            desde hacia según durante tras ante bajo contra y e o u ni pero sino que si como
            cuando donde aunque porque pues mientras es son era eran fue fueron ser sido está
            están estaba estaban ha han había habían hay he hemos se me te le les nos os yo tú
            él ella ello ellos ellas nosotros vosotros usted ustedes su sus mi mis tu tus
            nuestro nuestra este esta estos estas ese esa esos esas aquel aquella quien quién
            quienes qué cuál cuándo dónde cómo cuánto cuántos cuál cuales no ni más muy ya
            también tan así cada todo toda todos todas otro otra
        """,
        "fi": """
            ja on ei se että oli hän joka mutta tai kun niin kuin myös ovat olivat ole olla
            ollut ollu ne he minä sinä me te tämä tuo nämä nuo jos vaan sekä mikä mitä kuka
            missä milloin miksi miten jonka jotka jossa josta sen siitä sitä hänen heidän minun
            sinun hän vain vielä jo nyt sitten ennen jälkeen kanssa ilman eivät en
        """,
        "fr": """
            le la les l un une des du de d à au aux en dans par pour sur sous avec sans entre
            vers chez contre depuis pendant selon avant après et ou ni mais donc or car que qu
            qui quoi dont où si quand lorsque lorsqu puisque puisqu comme parce jusque jusqu
            quoique ce c cet cette ces cela ça ceci mon ma mes ton ta tes son sa ses notre nos
            votre vos leur leurs je j tu il elle on nous vous ils elles me m te t se s lui y eux
            moi toi soi est sont était étaient fut furent être été sera seront soit suis a ai as
            ont avait avaient eut avoir eu quel quelle quels quelles lequel laquelle lesquels
            lesquelles pourquoi comment combien ne n pas plus point jamais très aussi ainsi
            alors tout toute tous toutes même mêmes aucun aucune chaque
        """,
        "hu": """
            a az és hogy nem is egy ez van volt meg de ha csak már még mint vagy el ki be fel le
            én te ő mi ti ők aki ami amely amit akik amelyek ezt azt ezek azok ezen azon nek nak
            ban ben mert mikor hol ki kik miért hogyan után előtt alatt között szerint volna
            voltak lesz lett lenni
        """,
        "it": """
            il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla
            ai agli alle da dal dallo dalla dai dagli dalle in nel nello nella nei negli nelle
            con col su sul sullo sulla sui sugli sulle per tra fra e ed o od ma però anche se
            che chi cui quale quali quando dove come perché mentre dopo prima durante senza
            verso contro è sono era erano fu furono essere stato stata stati state ha hanno
            aveva avevano ho abbia io tu egli lui lei ella esso essa noi voi essi loro mi ti si
            ci vi ne gli lo questo questa questi queste quello quella quelli quelle suo sua suoi
            sue mio mia tuo tua nostro nostra non più molto così già cosa
        """,
        "ja": """
            の は が を に で と も へ や か から まで より など ね よ この その あの
            どの これ それ あれ どれ ここ そこ あそこ どこ いつ だれ 誰 なぜ 何 なに です
            ます だ である でした ました ない する した して される いる ある なる こと
            もの ため よう そして しかし また および または 私 彼 彼女 我々 について として
            において による
        """,
        "nl": """
            de het een en van in is dat op te zijn met voor niet aan er om ook als dan maar door
            over bij naar uit tot onder tegen tussen zonder na sinds tijdens ik jij je hij zij
            ze wij we jullie u hem haar hen hun ons mij me zich dit deze die wie wat waar
            wanneer waarom hoe welke welk was waren wordt worden werd werden heeft hebben had
            hadden kan kunnen kon zal zullen zou moet moeten mag of want omdat toen nog wel al
            zo geen mijn uw onze
        """,
        "no": """
            og i det er en et ei den de til på for av med som ikke der var har han hun jeg du vi
            dere dem seg fra om ved men over eller hvis når etter under mot mellom uten hadde
            ble blir være vært kan kunne skal skulle vil ville må også så da enn nå her hva hvem
            hvor når hvorfor hvordan hvilken hvilke hans hennes deres min din vår denne dette
            disse man oss meg deg ham at
        """,
        "pl": """
            i w we na z ze do od o u po za przed pod nad przy między bez dla przez oraz a ale
            lub albo ani że żeby aby gdy kiedy gdzie kto co jak który która które którzy których
            jest są był była było byli być będzie będą nie się to ten ta te tego tej tym tych on
            ona ono oni one ja ty my wy go jej ich jego mu im ją sobie mnie tobie już tylko
            także też więc bo ponieważ jako niż czy tak jeszcze dlaczego
        """,
        "pt": """
            o a os as um uma uns umas de do da dos das d em no na nos nas ao aos à às por pelo
            pela pelos pelas para com sem sobre entre até desde durante após contra e ou nem mas
            porém que se como quando onde porque pois enquanto embora é são era eram foi foram
            ser sido está estão estava tem têm tinha tinham há havia eu tu ele ela nós vós eles
            elas você vocês me te lhe lhes se seu sua seus suas meu minha nosso nossa este esta
            estes estas esse essa isto isso aquele aquela quem qual quais não mais muito já
            também cada todo toda todos todas
        """,
        "ro": """
            și în la de pe cu din a al ai ale un o unei unui este sunt era erau fost fi că să nu
            se care ce cine când unde cum pentru prin după înainte între fără sau dar iar ci
            dacă ca mai el ea ei ele eu tu noi voi lui lor îi îl le își acest această acesta
            aceasta acești aceste acel acea cel cea cei cele am ai au avea
        """,
        "ru": """
            и в во на с со к ко о об от до по за из у при для без через над под между про перед
            после а но или да ни что чтобы как когда где если потому хотя же ли бы не нет он она
            оно они я ты мы вы его её ее их ему ей им меня мне тебя тебе нас нам вас вам себя
            себе это этот эта эти того этого этой тот та те который которая которое которые был
            была было были быть есть будет кто чем так там тут здесь уже еще ещё только также
            очень почему зачем куда откуда какой какая какие чей свой своя свои
        """,
        "sv": """
            och i att det är en ett den de till på för av med som inte var har han hon jag du vi
            ni dem sig från om vid men över eller när efter under mot mellan utan hade blev blir
            vara varit kan kunde ska skall skulle vill ville må också så då än nu här vad vem
            var varför hur vilken vilka hans hennes deras min din vår denna detta dessa man oss
            mig dig honom
        """,
        "tr": """
            ve bir bu şu o da de ile için ki mi mı mu mü ama fakat veya ya gibi kadar daha çok
            en ne kim nerede neden nasıl hangi ben sen biz siz onlar onun bunun değil var yok
            ise olan olarak oldu idi her hiç sonra önce göre karşı üzere ancak çünkü eğer hem
        """,
        "uk": """
            і й в у на з із зі до від по за для без через над під між при про та а але або чи що
            щоб як коли де якщо бо хоча не ні він вона воно вони я ти ми ви його її їх йому їй
            їм мене мені нас нам вас це цей ця ці той та ті який яка яке які був була було були
            бути є хто так там тут вже ще тільки також дуже чому
        """,
        "vi": """
            và của là các có trong được cho một những không với đã này tại khi theo từ sau trước
            vào ở do vì nhưng để nếu tuy thì mà hay hoặc cũng đang sẽ bị bởi về trên dưới giữa
            ra lên đến nó họ tôi chúng ta ai gì nào đâu sao thế đó kia ấy cái rất chỉ còn như
        """,
        "zh": """
            的 了 在 是 我 有 和 就 不 都 一 一个 也 很 到 你 会 着 没有 自己 这 那
            他 她 它 们 我们 你们 他们 她们 它们 与 及 或 但 但是 而 而且 因为 所以
            如果 虽然 为 为了 以 于 从 对 对于 由 被 把 将 向 往 之 其 此 该 这个
            那个 这些 那些 什么 谁 哪 哪里 哪个 怎么 为什么 多少 几 吗 呢 吧 啊 地 得
            等 中
        """,
    }.items()
}  # fmt: skip
"""Words that never name anything, by language: articles, pronouns, prepositions, conjunctions, auxiliaries.

Lower case, without apostrophes (French `l'` and `qu'` are `l` and `qu`); Chinese and Japanese whole phrases.
"""
_ANY_FUNCTION_WORD = frozenset().union(*FUNCTION_WORDS.values())
_OF_PROSE = 0.3


def detect(text: str) -> str | None:
    """Return the language a text is in, a key of `NAMES`; Norwegian of both kinds is "no".

    None where a text is too short, in no language (numbers, addresses) or could be in several. Of a long text
    the beginning, the middle and the end are read, 1,500 characters in all.

    Parameters
    ----------
    text : str
        Of any length.

    Returns
    -------
    str or None
        Such as "de".

    """
    sample = _sample(text)
    if not _WORD.search(sample):
        return None
    language, confidence = _identifier().classify(sample)
    if language == _NO_LANGUAGE:
        return None
    sure = confidence >= CONFIDENT or (confidence >= _PROBABLE and _by_function_words(sample) == language)
    return str(language) if sure else None


def is_no_language(text: str) -> bool:
    """Tell whether a text is rather in no language than in any.

    Parameters
    ----------
    text : str
        Any stretch of it.

    Returns
    -------
    bool
        True only where the identifier is rather sure.

    """
    language, confidence = _identifier().classify(_sample(text))
    return bool(language == _NO_LANGUAGE and confidence >= _LIKELY)


def is_prose(text: str) -> bool:
    """Tell quickly whether a text has as many function words, of whatever languages, as prose has.

    Parameters
    ----------
    text : str
        Any stretch of it.

    Returns
    -------
    bool
        False for text without words.

    """
    words = _words(text)
    return sum(word in _ANY_FUNCTION_WORD for word in words) >= _OF_PROSE * len(words) > 0


def function_word_share(text: str) -> float:
    """Return the share of a text's words that are function words, in the language that has most of them.

    Parameters
    ----------
    text : str
        Any stretch of it.

    Returns
    -------
    float
        From 0 to 1; 0 without words.

    """
    words = Counter(_words(text))
    return max(_function_words(words).values()) / (words.total() or 1)


def _sample(text: str) -> str:
    """Return a text on one line, of a long one three pieces."""
    if len(text) > _SAMPLES * _SAMPLE:
        middle = (len(text) - _SAMPLE) // 2
        text = f"{text[:_SAMPLE]} {text[middle : middle + _SAMPLE]} {text[-_SAMPLE:]}"
    return " ".join(text.split())


@lru_cache(maxsize=1)
def _identifier() -> "LanguageIdentifier":
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([*NAMES, _NO_LANGUAGE])
    return identifier


def _by_function_words(text: str) -> str | None:
    """Return the language with most function words in a text, unless another has as many."""
    counts = _function_words(Counter(_words(text)))
    most = max(counts.values())
    languages = [language for language, count in counts.items() if count == most]
    return languages[0] if most and len(languages) == 1 else None


def _function_words(words: Counter[str]) -> dict[str, int]:
    """Return how many of some words are function words, language by language."""
    return {
        language: sum(words[word] for word in known & words.keys())
        for language, known in FUNCTION_WORDS.items()
    }


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def language_code(written: str) -> str:
    """Return the code of a language that metadata names: "en-GB", "English" and "EN" are "en".

    What is no known code or name is returned in lower case, without what follows a hyphen.

    Parameters
    ----------
    written : str
        As somebody wrote it.

    Returns
    -------
    str
        ISO 639-1 code where it is known.

    """
    plain = written.strip().lower()
    named = _CODES.get(plain)
    code = named or re.split(r"[-_]", plain, maxsplit=1)[0]
    return _MACRO.get(code, code)


def language_name(code: str) -> str:
    """Return the English name of a language; of one that is not known, its code.

    Parameters
    ----------
    code : str
        ISO 639-1 code.

    Returns
    -------
    str
        Such as German.

    """
    return "undetermined" if code == UNDETERMINED else NAMES.get(code, code)


def languages_told(counts: Mapping[str, int]) -> str:
    """Say how many documents are in which language: "English 58, German 1".

    Parameters
    ----------
    counts : mapping of str to int
        Code -> documents, in the order to be named in.

    Returns
    -------
    str
        Empty for no documents.

    """
    return ", ".join(f"{language_name(code)} {n:,}" for code, n in counts.items())


_CODES = {name.lower(): code for code, name in NAMES.items()}
