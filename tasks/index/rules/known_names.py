"""Names and name parts known beforehand: given names, titles, heads of organisations and places."""

from corpusgraph.tasks.index.rules.wordlist import wordset

GIVEN = wordset("""
    Aristotle Plato Socrates Cicero Caesar Virgil Ovid Livy Plutarch Xerxes Darius Cyrus Hannibal Pericles
    Solon Lycurgus Themistocles Demosthenes Herodotus Thucydides Tacitus Seneca Nero Hadrian Trajan Epicurus
    Archimedes Euclid Pythagoras Hippocrates Galen Ptolemy Sophocles Euripides Aeschylus Aristophanes Aesop
    Charlemagne Saladin Confucius Mencius Avicenna Averroes Erasmus Machiavelli Montesquieu Voltaire
    Rousseau
    Chuck Dinah Neve Corey Taylor Hiram Shane Brett Travis Kyle Derrick Tyler Zach Jake Josh Luke Nate
    Dustin Justin Curtis Clark Clint Cody Cole Drew Troy Trevor Wade Dwight Dwayne Darrell Jermaine Tyrone
    Ashley Brittany Courtney Crystal Heidi Holly Kristen Kristin Kirsten Krista Lindsay Lindsey Mandy Sophia
    Katie Kathy Cathy Debbie Donna Gina Jill Joyce Kimberly Loretta Lois Marlene Maureen Nina Norma Paige
    Peggy Phyllis Rhonda Roberta Shannon Stacy Tammy Tina Tracey Yvette Zoe Zoë Chloe Abby Bobbie Archie
    Alfie Barry Basil Bertram Boris Brad Bradley Brendan Calvin Carlton Casey Cedric Chester Clarence Cliff
    Clifford Clifton Clyde Damian Damon Dana Darryl Desmond Dominick Edmond Elmer Elmore Elvis Elton Ernie
    Fabio Fidel Floyd Forrest Gene Gerry Gil Gilberto Glen Grant Gus Hal Hank Harley Harris Homer Irving
    Irwin Ivor Jared Jarvis Jay Jed Jeremy Jim Johnnie Juan Kent Kerry Kirk Kris Lance Len Lennie Lionel
    Lou Lyle Lyndon Lynn Mack Marlon Marshall Marty Marvin Maynard Merle Micky Mickey Mitch Mitchell Mort
    Nelson Ned Nick Norbert Ollie Omar Orlando Orson Oswald Pat Pete Preston Quentin Quincy Ralph Randall
    Randy Raul Rafael Rex Rob Robbie Rodrigo Rollo Roman Ronnie Rory Ruben Rudy Rufus Rusty Salvador Sammy
    Serge Sergio Shaun Sherman Sherwood Sid Silas Spencer Stewart Stu Sven Terrence Thaddeus Theo Thornton
    Tobias Trent Ty Tyson Upton Vic Vince Virgil Vivian Wes Wesley Wilbur Wiley Willard Willis Woodrow
    Woody Benjamín Raúl Andrés Ángel Jesús Joaquín Martín Sebastián Tomás Álvaro Óscar Héctor Cláudio João
    Luís Paulo Antônio Márcio Rui Nuno Jorge Jürgen Günther Günter Jörg Uwe Klaus Horst Heinz Helmut Dieter
    Rolf Ralf Gerd Hartmut Siegfried Konrad Lars Nils Ole Olaf Olav Jens Bjørn Björn Håkon Magnus Erling
    Leif Gunnar Anders Mikael Kjell Tor Knut Arne Halldór Aleksandr Aleksander Alexei Andrei Anatoly
    Dmitry Evgeny Fyodor Grigory Konstantin Leonid Maxim Mikhail Nikolay Oleg Pavel Stanislav Viktor
    Vasily Vladislav Vyacheslav Yuri Yevgeny Natalia Olga Tatiana Irina Svetlana Ekaterina Ludmila Galina
    Raj Rajesh Rahul Amit Anil Arun Ashok Deepak Sanjay Suresh Ramesh Vijay Vikram Sunil Manoj Priya Lata
    Lakshmi Sita Aamir Shah Salman Imran Abdul Abdullah Ahmad Khalid Mahmoud Mustafa Mehmet Tariq Aisha
    Layla Zainab Yasmin Mohammad Takeshi Hideo Ichiro Kazuo Koji Koichi Makoto Masao Naoko Yoko Yoshi
    Satoshi Shigeru Shinji Taro Toshiro Yukio Emeka Kofi Kwame Nelson Desmond Thabo Oprah Abebe Haile
    Aaron Abigail Abraham Ada Adam Adrian Agatha Agnes Aidan Alan Albert Alec Alejandro Alessandro Alex
    Alexander Alexandra Alexandre Alexis Alfonso Alfred Ali Alice Alison Allan Allen Amanda Amelia Amy Ana
    Andre André Andrea Andreas Andrew Andy Angela Angelo Anita Ann Anna Anne Annie Anthony Antoine Anton
    Antonia Antonio Archibald Arnold Arthur August Augustin Augustus Barbara Barnabas Bartholomew Beatrice
    Ben Benedict Benjamin Bernard Bernhard Bernardo Bert Bertha Bertrand Beth Betty Bill Billy Bob Bobby
    Brandon Brenda Brian Bridget Bruce Bruno Bryan Camille Carl Carla Carlo Carlos Carmen Carol Caroline
    Caspar Catherine Cecil Charles Charlie Charlotte Chris Christian Christina Christine Christoph
    Christopher Claire Clara Clarence Claude Claudia Clement Colin Connor Constance Cornelius Craig Cyril
    Daisy Dale Daniel Danny Darren Dave David Dean Deborah Denis Dennis Derek Diana Diane Dick Diego Dirk
    Dmitri Dominic Don Donald Doris Dorothy Douglas Duncan Dylan Earl Eddie Edgar Edith Edmund Eduard
    Eduardo Edward Edwin Eileen Eleanor Elena Eli Elias Elijah Elisabeth Eliza Elizabeth Ella Ellen Elliot
    Elsie Emil Emile Émile Emily Emma Emmanuel Enrico Eric Erich Erik Ernest Ernst Esther Ethel Eugene
    Eugène Eva Evan Eve Evelyn Ezra Felix Ferdinand Fernando Filippo Fiona Florence Frances Francesca
    Francesco Francis Francisco Frank Franklin Franz François Fred Frederic Frederick Frédéric Friedrich
    Fritz Gabriel Gareth Gary Gavin Geoffrey Geoff George Georg Georges Gerald Gerard Gerhard Gertrude
    Gilbert Giovanni Giulia Giuseppe Glenn Gordon Grace Graham Greg Gregory Guillaume Gustav Guy Hannah
    Hans Harold Harriet Harry Harvey Heather Hector Heinrich Helen Helena Hélène Henri Henriette Henry
    Herbert Herman Hermann Horace Howard Hubert Hugh Hugo Humphrey Ian Ida Ignacio Igor Ingrid Irene Iris
    Isaac Isabel Isabella Isaiah Ivan Jack Jackie Jacob Jacqueline Jacques Jaime Jakob James Jamie Jan
    Jane Janet Jason Javier Jean Jeff Jeffrey Jennifer Jenny Jeremiah Jeremy Jerome Jerry Jesse Jessica
    Jim Jimmy Joan Joanna Joe Joel Johan Johann Johannes John Johnny Jon Jonathan Jordan Jorge José Josef
    Joseph Josephine Joshua José Juan Judith Judy Jules Julia Julian Julie Juliet Julius Karen Karl Kate
    Katherine Kathleen Kathryn Keith Kelly Ken Kenneth Kevin Kim Kurt Larry Laura Laurence Lauren Laurent
    Lawrence Lee Leo Leon Leonard Leonardo Leopold Leslie Lester Lewis Liam Lillian Lily Linda Lisa Lloyd
    Lorenzo Louis Louisa Louise Luca Lucas Lucien Lucy Ludwig Luigi Luis Luke Luther Lydia Mabel Madeleine
    Malcolm Manuel Marc Marcel Marcello Marco Marcus Margaret Margarita Marguerite Maria Marie Mario
    Marion Mark Martha Martin Mary Mathilde Matilda Matteo Matthew Matthias Maurice Max Maximilian Maxwell
    Megan Mel Melissa Michael Michel Michelle Miguel Mike Mikhail Milton Miriam Mohammed Mohamed Mohandas
    Molly Monica Morgan Moses Muhammad Murray Nancy Napoleon Natalie Nathan Nathaniel Neil Nicholas Nick
    Nicolas Nicole Nigel Nikita Nikolai Noah Noel Nora Norman Oliver Olivia Oscar Oskar Otto Owen Pablo
    Pamela Paolo Patricia Patrick Paul Paula Pauline Pedro Penelope Percy Perry Peter Philip Philipp
    Philippe Phillip Pierre Pietro Rachel Ralph Ramon Ray Raymond Rebecca René Reginald Ricardo Richard
    Rick Rita Robert Roberto Robin Rodney Roger Roland Ron Ronald Rosa Rosalind Rose Rosemary Ross Roy
    Rudolf Rudolph Rupert Russell Ruth Ryan Sally Sam Samantha Samuel Sandra Sara Sarah Scott Sean
    Sebastian Sergei Seth Seymour Sharon Sheila Shirley Sidney Sigmund Simon Sofia Sophia Sophie Stanley
    Stefan Stella Stephanie Stephen Steve Steven Stuart Susan Susanna Susannah Suzanne Sydney Sylvia Ted
    Terence Teresa Terry Theodor Theodore Theresa Thérèse Thomas Tim Timothy Toby Todd Tom Tommy Tony
    Tracy Ulrich Ursula Valentina Vanessa Vera Vernon Veronica Vicente Victor Victoria Vincent Vincenzo
    Virginia Vittorio Vladimir Wallace Walter Warren Wayne Wendy Werner Wilfred Wilhelm Wilhelmina William
    Willie Winifred Winston Wolfgang Xavier Yvonne Zachary Edwin Rowland Neville Jawaharlal Indira Mahatma
    Subhas Hiroshi Kenji Akira Yuki Ahmed Hassan Hussein Ibrahim Fatima Omar Yusuf Nguyễn Trần Lê Phạm
    Hoàng Huỳnh Võ Đặng Bùi Đỗ Hồ Ngô Dương Lý Nguyen Tran Pham Hoang Huynh Zhang Wang Liu Chen Zhao Huang
    Zhou Xu Sun Deng Mao Иван Анна Мария Пётр Николай Александр Сергей Владимир Михаил
""")
FEMALE = wordset("""
    Dinah Ashley Brittany Courtney Crystal Heidi Holly Kristen Kristin Kirsten Krista Lindsay Lindsey Mandy
    Sophia Katie Kathy Cathy Debbie Donna Gina Jill Joyce Kimberly Loretta Lois Marlene Maureen Nina Norma
    Paige Peggy Phyllis Rhonda Roberta Shannon Stacy Tammy Tina Tracey Yvette Zoe Zoë Chloe Abby Bobbie
    Natalia Olga Tatiana Irina Svetlana Ekaterina Ludmila Galina Priya Lata Lakshmi Sita Aisha Layla Zainab
    Yasmin Naoko Yoko Oprah Abigail Ada Agatha Agnes Alexandra Alice Alison Amanda Amelia Amy Ana Angela
    Anita Ann Anna Anne Annie Antonia Barbara Beatrice Bertha Beth Betty Brenda Bridget Carla Carmen Carol
    Caroline Catherine Charlotte Christina Christine Claire Clara Claudia Constance Daisy Deborah Diana
    Diane Doris Dorothy Edith Eileen Eleanor Elena Elisabeth Eliza Elizabeth Ella Ellen Elsie Emily Emma
    Esther Ethel Eva Eve Fiona Florence Frances Francesca Gertrude Giulia Grace Hannah Harriet Heather Helen
    Helena Hélène Henriette Ida Ingrid Irene Iris Isabel Isabella Jacqueline Jane Janet Jennifer Jenny
    Jessica Joan Joanna Josephine Judith Judy Julia Julie Juliet Karen Kate Katherine Kathleen Kathryn Laura
    Lauren Lillian Lily Linda Lisa Louisa Louise Lucy Lydia Mabel Madeleine Margaret Margarita Marguerite
    Maria Marie Martha Mary Mathilde Matilda Megan Melissa Michelle Miriam Molly Monica Nancy Natalie Nicole
    Nora Olivia Pamela Patricia Paula Pauline Penelope Rachel Rebecca Rita Rosa Rosalind Rose Rosemary Ruth
    Sally Samantha Sandra Sara Sarah Sharon Sheila Shirley Sofia Sophie Stella Stephanie Susan Susanna
    Susannah Suzanne Sylvia Teresa Theresa Thérèse Ursula Valentina Vanessa Vera Veronica Victoria Virginia
    Wendy Wilhelmina Winifred Yvonne Indira Fatima Анна Мария Marcela Marta Lena Ines Svenja Greta Astrid
    Sigrid Ingeborg Solveig Elin Freya Charlotta Amélie Chantal Colette Margot Simone Sabine Ursule Birgit
    Gudrun Heike Petra Katrin Carolina Gabriela Lucía Mariana Ximena
""")
"""Given names borne by women alone, or nearly so; what else is in GIVEN is taken for a man's."""
EITHER = wordset("""
    Robin Leslie Evelyn Kim Jean Jan Marion Vivian Dana Casey Kelly Lee Lynn Lou Pat Chris Alex Sam
    Jackie Terry
    Tracy Tracey Taylor Jordan Morgan Jamie Jesse Kerry Kris Carol Andrea Sidney Sydney Shannon
    Courtney Ashley
    Lindsay Stacy Gene Merle Shirley Bobbie Corey Shane Charlie Jody Toby Alexis Noel Drew Simone
    Francis August
    Camille Claude Dominique Maxwell Connor Madison Harper Avery Riley Quinn Blair Cameron Parker
""")
"""Given names of either sex."""
TITLES = wordset("""
    dr mr mrs ms miss prof professor rev reverend sir lord lady dame general gen colonel col captain capt
    major maj lieutenant lieut lt sergeant sgt admiral adm commander commodore president king queen prince
    princess duke duchess earl count countess baron baroness viscount marquis emperor empress tsar czar
    pope bishop archbishop cardinal father fr sister saint senator sen governor gov judge justice mayor
    chancellor doctor inspector superintendent messrs hon madame mme mlle monsieur herr frau fräulein
    señor señora don doña signor canon dean vicar rabbi imam sheikh sultan shah hauptmann freiherr graf
    esquire abbé abbe empress ông bà königin könig kaiser fürst prinz roi reine docteur père soeur
    corporal constable sheriff congressman congresswoman representative ambassador dom friar brother
    curate alderman councillor
""")
"""Lower-case words that, capitalised before a name, make it a person's."""
ROLE_OF = wordset("""
    president king queen prince duke earl count secretary minister chancellor governor bishop archbishop
    mayor director chairman lord dean marquis duchess master professor superintendent commissioner head
    emperor sultan registrar inspector officer
""")
ROLES = wordset("""
    physician doctor surgeon anaesthetist anesthetist epidemiologist chemist apothecary nurse curate
    priest clergyman vicar statistician engineer architect lawyer barrister solicitor politician statesman
    writer author novelist poet playwright journalist editor publisher historian philosopher economist
    scientist physicist mathematician biologist naturalist geologist astronomer botanist botanical
    inventor actor actress singer songwriter musician composer guitarist drummer bassist rapper director
    filmmaker producer screenwriter painter sculptor artist photographer footballer cricketer player coach
    manager athlete boxer swimmer businessman businesswoman entrepreneur merchant banker brewer landlord
    farmer soldier general officer admiral captain commander king queen emperor prince princess president
    minister chancellor governor senator mayor judge chairman secretary professor teacher lecturer student
    widow wife husband son daughter brother sister father mother uncle aunt cousin explorer missionary
    theologian bishop archbishop pope monk reformer activist revolutionary diplomat ambassador spy
    detective inspector comedian dancer model presenter broadcaster critic scholar librarian pharmacist
    dentist psychologist psychiatrist sociologist anthropologist archaeologist linguist cartographer
    mapmaker midwife tailor baker butcher shoemaker carpenter mason innkeeper publican registrar
    commissioner sergeant colleague friend assistant pathologist bacteriologist microbiologist hygienist
    resident witness leader founder owner
""")
ORG_HEADS = wordset("""
    board company university college department ministry party ltd limited inc corporation corp committee
    society association institute institution council commission agency bureau office bank hospital
    infirmary school academy church parliament congress senate assembly court army navy police guild union
    federation league club team group organisation organization foundation trust authority service
    services press publisher publishers newspaper times gazette herald tribune telegraph orchestra band
    records studios pictures airlines railway railways brewery workhouse factory works mill mills regiment
    battalion brigade division squadron fleet legion government administration cabinet guardians vestry
    chamber exchange fund centre center laboratory observatory museum library theatre theater network
    channel television radio co plc llc gmbh ag brothers sons bros universität gesellschaft verein partei
    ministerium institut université société académie compagnie ministère parti conseil universidad
    sociedad academia università società accademia faculty conference convention synod dispensary asylum
    order corps force forces staff registry inquiry airline airways air commonwealth nations clan dynasty
    confederation command legislature diocese archdiocese tribe electronics fc f.c ac afc athletic
    entertainment productions industries systems technologies international partnership consortium
    coalition alliance sewers animation directorate secretariat guard guards rifles fusiliers
    dragoons cavalry
    infantry militia artillery marines bureau lodge sisters symphony philharmonic choir ensemble quartet
    trio foods motors bank holdings group media communications pharmaceuticals semiconductor software
    energy petroleum oil steel chemical chemicals motor insurance enterprises ventures partners associates
    franciscans jesuits rovers wanderers albion hotspur united rangers celtics yankees bulldogs tigers
    wildcats eagles polytechnic conservatory conservatoire seminary gymnasium lyceum ballet opera-company
    railroad railroads publications worldwide bancorp bancshares holding conglomerate comics metro
    liga bund verband
    televisión radiotelevisión editorial teatro compañía nets knicks lakers islanders devils canadiens mets
    dodgers cubs redskins
    cowboys packers steelers broncos raiders chiefs seahawks falcons panthers dolphins bengals
    ravens colts texans
    titans jaguars bills patriots buccaneers cardinals braves phillies orioles astros mariners
    athletics pirates
    brewers royals rockies diamondbacks padres marlins nationals raptors pistons pacers bucks
    hornets grizzlies
    mavericks spurs clippers blazers sonics supersonics timberwolves cavaliers penguins flyers
    sabres senators
    blackhawks oilers flames canucks sharks predators huskies spartans trojans bruins longhorns
    sooners hawkeyes
    badgers gators seminoles hurricanes wolverines buckeyes caucus parliamentarians soviet presidium
    politburo sejm storting folketing riksdag bundesrat
""")
PLACE_HEADS = wordset("""
    street road avenue lane square river city town county lake mountain mountains mount island islands
    isle farm range ranges highlands territory territories route roundabout bay sea ocean land valley
    temple hill hills park bridge gate house hall palace castle tower cathedral abbey chapel cemetery
    district province state states territory region parish village borough kingdom republic empire
    peninsula cape coast desert forest canal harbour harbor port airport station beach gulf strait channel
    court row place yard alley terrace crescent gardens garden green common market wharf dock docks pump
    well spring falls creek plateau plain plains basin delta glacier volcano quarter prefecture
    municipality township straße strasse platz fluss stadt rue place pont plaza calle via piazza stadium
    arena building heath field fields wood cross highway motorway boulevard circus embankment moor brook
    pass point springs statue monument memorial reservoir dam pond grove mansion prison jail fell ridge
    peak summit cove crater sultanate satrapy khanate emirate oblast raion voivodeship kolkhoz manor lodge
    villa estate resort hotel inn diner cafe casino ranch plantation courthouse interstate turnpike
    parkway viaduct tunnel tram subway marina pier quay landing hollow heights meadows sound inlet fjord
    loch lough strand shoal reef atoll archipelago cliffs bluff canyon gorge mesa steppe duchy
    principality caliphate colony protectorate dominion shrine mosque synagogue monastery convent priory
""")
PLACE_FIRST = wordset(
    "lake mount mt river cape fort port isle county gulf bay upper lower great new san santa los las el st"
)
"""A name that begins so is often a place; a weak sign."""
CONCEPT_HEADS = wordset("""
    act law bill treaty war battle revolution constitution theory report bible award prize medal cup
    championship tournament games olympics festival day league-cup movement era age period century
    reformation renaissance enlightenment crisis depression plague famine principle theorem conjecture
    equation effect syndrome disease fever code project program programme plan policy charter declaration
    convention amendment agreement accord protocol pact papers letters chronicles trilogy series novel
    saga album tour language rebellion uprising massacre siege campaign operation exhibition census survey
    study bulletin paper map catholicism protestantism christianity islam judaism buddhism hinduism
    marxism god latin hebrew sanskrit unix linux windows python java journal magazine review daily gazette
    herald tribune telegraph times lancet register book volume clause bill decree edict manifesto
    symposium bowl open flight baronetcy contest draft awards olympiad cinema-prize sonata concerto
    overture ballad anthem dictionary encyclopedia encyclopaedia almanac gospel epistle sermon oratorio
    cantata pageant derby marathon regatta trophy offensive expedition crusade mutiny coup strike boycott
    affair scandal summit-meeting doctrine method model law-case test index scale number effect paradox
    ratio curve
""")
LOWER_HEADS = wordset("""
    war wars council clan dynasty empire river sea ocean island islands league confederacy temple garden
    gardens pump canal revolution creek mountains mountain valley treaty street bridge lake
""")
"""Heads that end a name though written small: "Amphictyonic council", "Padua botanical garden"."""
ORDINALS = wordset("""
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
""")
DEMONYMS = wordset("""
    american british english french german italian spanish portuguese dutch belgian swiss austrian polish
    russian ukrainian swedish norwegian danish finnish icelandic irish scottish welsh greek roman turkish
    egyptian indian chinese japanese korean vietnamese thai australian canadian mexican brazilian
    argentine argentinian chilean colombian peruvian cuban african asian european israeli jewish arab
    arabic persian iranian iraqi syrian hungarian czech slovak romanian bulgarian serbian croatian bosnian
    albanian catholic protestant christian muslim islamic buddhist hindu anglican victorian elizabethan
    georgian edwardian medieval byzantine ottoman soviet prussian bavarian parisian venetian florentine
    spartan athenian jacobin whig tory republican democratic democrat conservative liberal labour western
    eastern northern southern north south east west northeast northwest southeast southwest bengali
    punjabi pakistani sri-lankan nigerian kenyan ethiopian moroccan londoner londoners parisians americans
    germans russians italians britons romans greeks jews christians muslims indians europeans africans
    asians catholics protestants puritans calvinist lutheran methodist baptist presbyterian jesuit
    franciscan dominican latin gothic celtic norse saxon norman anglo-saxon hebrew cantonese mandarin nazi
    soviets filipino indonesian malaysian caribbean hawaiian californian texan scots scotch flemish
    catalan basque hindi tamil telugu urdu malayalam marathi kannada gujarati swahili tagalog yiddish
    afrikaans estonian latvian lithuanian armenian azerbaijani kazakh uzbek mongolian tibetan burmese
    cambodian khmer laotian nepali nepalese bangladeshi singaporean taiwanese ghanaian tanzanian ugandan
    zambian zimbabwean somali sudanese congolese senegalese algerian tunisian libyan angolan cameroonian
    ivorian namibian malian lebanese jordanian saudi kuwaiti qatari emirati yemeni omani palestinian
    cypriot maltese bolivian ecuadorian uruguayan paraguayan venezuelan panamanian jamaican haitian
    dominican puerto guatemalan honduran nicaraguan salvadoran fijian samoan maori papuan sicilian
    sardinian neapolitan milanese tuscan genoese swabian bohemian moravian slavic germanic iberian
    balkan scandinavian baltic mediterranean latin-american african-american afro-american native-american
    english-american mughal maratha manchu sikh sunni shia
""")
"""Adjectives made from names (and names of peoples): no names by themselves."""
