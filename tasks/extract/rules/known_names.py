"""Names, parts of names and nouns known beforehand, and what kind of thing each names."""

from corpusgraph.tasks.text.wordlist import wordset

FEMALE = wordset("""
    Dinah Ashley Brittany Courtney Crystal Heidi Holly Kristen Kristin Kirsten Krista Lindsay Lindsey Mandy
    Sophia Katie Kathy Cathy Debbie Donna Gina Jill Joyce Kimberly Loretta Lois Marlene Maureen Nina Norma
    Paige Peggy Phyllis Rhonda Roberta Shannon Stacy Tammy Tina Tracey Yvette Zoe Zoë Chloe Abby Bobbie
    Natalia Olga Tatiana Irina Svetlana Ekaterina Ludmila Galina Priya Lata Lakshmi Sita Aisha Layla Zainab
    Yasmin Naoko Yoko Oprah Abigail Ada Agatha Agnes Alexandra Alice Alison Amanda Amelia Amy Ana Angela Anita
    Ann Anna Anne Annie Antonia Barbara Beatrice Bertha Beth Betty Brenda Bridget Carla Carmen Carol Caroline
    Catherine Charlotte Christina Christine Claire Clara Claudia Constance Daisy Deborah Diana Diane Doris
    Dorothy Edith Eileen Eleanor Elena Elisabeth Eliza Elizabeth Ella Ellen Elsie Emily Emma Esther Ethel Eva
    Eve Fiona Florence Frances Francesca Gertrude Giulia Grace Hannah Harriet Heather Helen Helena Hélène
    Henriette Ida Ingrid Irene Iris Isabel Isabella Jacqueline Jane Janet Jennifer Jenny Jessica Joan Joanna
    Josephine Judith Judy Julia Julie Juliet Karen Kate Katherine Kathleen Kathryn Laura Lauren Lillian Lily
    Linda Lisa Louisa Louise Lucy Lydia Mabel Madeleine Margaret Margarita Marguerite Maria Marie Martha Mary
    Mathilde Matilda Megan Melissa Michelle Miriam Molly Monica Nancy Natalie Nicole Nora Olivia Pamela
    Patricia Paula Pauline Penelope Rachel Rebecca Rita Rosa Rosalind Rose Rosemary Ruth Sally Samantha Sandra
    Sara Sarah Sharon Sheila Shirley Sofia Sophie Stella Stephanie Susan Susanna Susannah Suzanne Sylvia
    Teresa Theresa Thérèse Ursula Valentina Vanessa Vera Veronica Victoria Virginia Wendy Wilhelmina Winifred
    Yvonne Indira Fatima Анна Мария Marcela Marta Lena Ines Svenja Greta Astrid Sigrid Ingeborg Solveig Elin
    Freya Charlotta Amélie Chantal Colette Margot Simone Sabine Ursule Birgit Gudrun Heike Petra Katrin
    Carolina Gabriela Lucía Mariana Ximena
""")
"""Given names borne by women alone, or nearly so; of GIVEN the rest is taken for a man's."""
EITHER = wordset("""
    Robin Leslie Evelyn Kim Jean Jan Marion Vivian Dana Casey Kelly Lee Lynn Lou Pat Chris Alex Sam Jackie
    Terry Tracy Tracey Taylor Jordan Morgan Jamie Jesse Kerry Kris Carol Andrea Sidney Sydney Shannon Courtney
    Ashley Lindsay Stacy Gene Merle Shirley Bobbie Corey Shane Charlie Jody Toby Alexis Noel Drew Simone
    Francis August Camille Claude Dominique Maxwell Connor Madison Harper Avery Riley Quinn Blair Cameron
    Parker
""")
"""Given names of either sex."""
GIVEN = (
    FEMALE
    | EITHER
    | wordset("""
    God Allah Jehovah
    Aristotle Plato Socrates Cicero Caesar Virgil Ovid Livy Plutarch Xerxes Darius Cyrus Hannibal Pericles
    Solon Lycurgus Themistocles Demosthenes Herodotus Thucydides Tacitus Seneca Nero Hadrian Trajan Epicurus
    Archimedes Euclid Pythagoras Hippocrates Galen Ptolemy Sophocles Euripides Aeschylus Aristophanes Aesop
    Charlemagne Saladin Confucius Mencius Avicenna Averroes Erasmus Machiavelli Montesquieu Voltaire Rousseau
    Chuck Neve Hiram Brett Travis Kyle Derrick Tyler Zach Jake Josh Luke Nate Dustin Justin Curtis Clark Clint
    Cody Cole Troy Trevor Wade Dwight Dwayne Darrell Jermaine Tyrone Archie Alfie Barry Basil Bertram Boris
    Brad Bradley Brendan Calvin Carlton Cedric Chester Clarence Cliff Clifford Clifton Clyde Damian Damon
    Darryl Desmond Dominick Edmond Elmer Elmore Elvis Elton Ernie Fabio Fidel Floyd Forrest Gerry Gil Gilberto
    Glen Grant Gus Hal Hank Harley Harris Homer Irving Irwin Ivor Jared Jarvis Jay Jed Jeremy Jim Johnnie Juan
    Kent Kirk Lance Len Lennie Lionel Lyle Lyndon Mack Marlon Marshall Marty Marvin Maynard Micky Mickey Mitch
    Mitchell Mort Nelson Ned Nick Norbert Ollie Omar Orlando Orson Oswald Pete Preston Quentin Quincy Ralph
    Randall Randy Raul Rafael Rex Rob Robbie Rodrigo Rollo Roman Ronnie Rory Ruben Rudy Rufus Rusty Salvador
    Sammy Serge Sergio Shaun Sherman Sherwood Sid Silas Spencer Stewart Stu Sven Terrence Thaddeus Theo
    Thornton Tobias Trent Ty Tyson Upton Vic Vince Wes Wesley Wilbur Wiley Willard Willis Woodrow Woody
    Benjamín Raúl Andrés Ángel Jesús Joaquín Martín Sebastián Tomás Álvaro Óscar Héctor Cláudio João Luís
    Paulo Antônio Márcio Rui Nuno Jorge Jürgen Günther Günter Jörg Uwe Klaus Horst Heinz Helmut Dieter Rolf
    Ralf Gerd Hartmut Siegfried Konrad Lars Nils Ole Olaf Olav Jens Bjørn Björn Håkon Magnus Erling Leif
    Gunnar Anders Mikael Kjell Tor Knut Arne Halldór Aleksandr Aleksander Alexei Andrei Anatoly Dmitry Evgeny
    Fyodor Grigory Konstantin Leonid Maxim Mikhail Nikolay Oleg Pavel Stanislav Viktor Vasily Vladislav
    Vyacheslav Yuri Yevgeny Raj Rajesh Rahul Amit Anil Arun Ashok Deepak Sanjay Suresh Ramesh Vijay Vikram
    Sunil Manoj Aamir Shah Salman Imran Abdul Abdullah Ahmad Khalid Mahmoud Mustafa Mehmet Tariq Mohammad
    Takeshi Hideo Ichiro Kazuo Koji Koichi Makoto Masao Yoshi Satoshi Shigeru Shinji Taro Toshiro Yukio Emeka
    Kofi Kwame Thabo Abebe Haile Aaron Abraham Adam Adrian Aidan Alan Albert Alec Alejandro Alessandro
    Alexander Alexandre Alfonso Alfred Ali Allan Allen Andre André Andreas Andrew Andy Angelo Anthony Antoine
    Anton Antonio Archibald Arnold Arthur Augustin Augustus Barnabas Bartholomew Ben Benedict Benjamin Bernard
    Bernhard Bernardo Bert Bertrand Bill Billy Bob Bobby Brandon Brian Bruce Bruno Bryan Carl Carlo Carlos
    Caspar Cecil Charles Christian Christoph Christopher Clement Colin Cornelius Craig Cyril Dale Daniel Danny
    Darren Dave David Dean Denis Dennis Derek Dick Diego Dirk Dmitri Dominic Don Donald Douglas Duncan Dylan
    Earl Eddie Edgar Edmund Eduard Eduardo Edward Edwin Eli Elias Elijah Elliot Emil Emile Émile Emmanuel
    Enrico Eric Erich Erik Ernest Ernst Eugene Eugène Evan Ezra Felix Ferdinand Fernando Filippo Francesco
    Francisco Frank Franklin Franz François Fred Frederic Frederick Frédéric Friedrich Fritz Gabriel Gareth
    Gary Gavin Geoffrey Geoff George Georg Georges Gerald Gerard Gerhard Gilbert Giovanni Giuseppe Glenn
    Gordon Graham Greg Gregory Guillaume Gustav Guy Hans Harold Harry Harvey Hector Heinrich Henri Henry
    Herbert Herman Hermann Horace Howard Hubert Hugh Hugo Humphrey Ian Ignacio Igor Isaac Isaiah Ivan Jack
    Jacob Jacques Jaime Jakob James Jason Javier Jeff Jeffrey Jeremiah Jerome Jerry Jimmy Joe Joel Johan
    Johann Johannes John Johnny Jon Jonathan José Josef Joseph Joshua Jules Julian Julius Karl Keith Ken
    Kenneth Kevin Kurt Larry Laurence Laurent Lawrence Leo Leon Leonard Leonardo Leopold Lester Lewis Liam
    Lloyd Lorenzo Louis Luca Lucas Lucien Ludwig Luigi Luis Luther Malcolm Manuel Marc Marcel Marcello Marco
    Marcus Mario Mark Martin Matteo Matthew Matthias Maurice Max Maximilian Mel Michael Michel Miguel Mike
    Milton Mohammed Mohamed Mohandas Moses Muhammad Murray Napoleon Nathan Nathaniel Neil Nicholas Nicolas
    Nigel Nikita Nikolai Noah Norman Oliver Oscar Oskar Otto Owen Pablo Paolo Patrick Paul Pedro Percy Perry
    Peter Philip Philipp Philippe Phillip Pierre Pietro Ramon Ray Raymond René Reginald Ricardo Richard Rick
    Robert Roberto Rodney Roger Roland Ron Ronald Ross Roy Rudolf Rudolph Rupert Russell Ryan Samuel Scott
    Sean Sebastian Sergei Seth Seymour Sigmund Simon Stanley Stefan Stephen Steve Steven Stuart Ted Terence
    Theodor Theodore Thomas Tim Timothy Todd Tom Tommy Tony Ulrich Vernon Vicente Victor Vincent Vincenzo
    Vittorio Vladimir Wallace Walter Warren Wayne Werner Wilfred Wilhelm William Willie Winston Wolfgang
    Xavier Zachary Rowland Neville Jawaharlal Mahatma Subhas Hiroshi Kenji Akira Yuki Ahmed Hassan Hussein
    Ibrahim Yusuf Nguyễn Trần Lê Phạm Hoàng Huỳnh Võ Đặng Bùi Đỗ Hồ Ngô Dương Lý Nguyen Tran Pham Hoang Huynh
    Zhang Wang Liu Chen Zhao Huang Zhou Xu Sun Deng Mao Иван Пётр Николай Александр Сергей Владимир Михаил
""")
)
TITLES = wordset("""
    dr mr mrs ms miss prof professor rev reverend sir lord lady dame general gen colonel col captain capt
    major maj lieutenant lieut lt sergeant sgt admiral adm commander commodore president king queen prince
    princess duke duchess earl count countess baron baroness viscount marquis emperor empress tsar czar pope
    bishop archbishop cardinal father fr sister saint senator sen governor gov judge justice mayor chancellor
    doctor inspector superintendent messrs hon madame mme mlle monsieur herr frau fräulein señor señora don
    doña signor canon dean vicar rabbi imam sheikh sultan shah hauptmann freiherr graf esquire abbé abbe ông
    bà königin könig kaiser fürst prinz roi reine docteur père soeur corporal constable sheriff congressman
    congresswoman representative ambassador dom friar brother curate alderman councillor master uncle aunt
""")
"""Lower-case words that, capitalised before a name, make it a person's."""
ROLE_OF = wordset("""
    president king queen prince duke earl count secretary minister chancellor governor bishop archbishop mayor
    director chairman lord dean marquis duchess master professor superintendent commissioner head emperor
    sultan registrar inspector officer
""")
"""Offices that "of" goes on with: "Bishop of London"."""
ROLES = wordset("""
    physician doctor surgeon anaesthetist anesthetist epidemiologist chemist apothecary nurse curate priest
    clergyman vicar statistician engineer architect lawyer barrister solicitor politician statesman writer
    author novelist poet playwright journalist editor publisher historian philosopher economist scientist
    physicist mathematician biologist naturalist geologist astronomer botanist botanical inventor actor
    actress singer songwriter musician composer guitarist drummer bassist rapper director filmmaker producer
    screenwriter painter sculptor artist photographer footballer cricketer player coach manager athlete boxer
    swimmer businessman businesswoman entrepreneur merchant banker brewer landlord farmer soldier general
    officer admiral captain commander king queen emperor prince princess president minister chancellor
    governor senator mayor judge chairman secretary professor teacher lecturer student widow wife husband son
    daughter brother sister father mother uncle aunt cousin explorer missionary theologian bishop archbishop
    pope monk reformer activist revolutionary diplomat ambassador spy detective inspector comedian dancer
    model presenter broadcaster critic scholar librarian pharmacist dentist psychologist psychiatrist
    sociologist anthropologist archaeologist linguist cartographer mapmaker midwife tailor baker butcher
    shoemaker carpenter mason innkeeper publican registrar commissioner sergeant colleague friend assistant
    pathologist bacteriologist microbiologist hygienist resident witness leader founder owner
""")
"""Nouns that say what a person is."""
ORG_HEADS = wordset("""
    board company university college department ministry party ltd limited inc corporation corp committee
    society association institute institution council commission agency bureau office bank hospital infirmary
    school academy church parliament congress senate assembly court army navy police guild union federation
    league club team group organisation organization foundation trust authority service services press
    publisher publishers newspaper times gazette herald tribune telegraph orchestra band records studios
    pictures airlines railway railways brewery workhouse factory works mill mills regiment battalion brigade
    division squadron fleet legion government administration cabinet guardians vestry chamber exchange fund
    centre center laboratory observatory museum library theatre theater network channel television radio co
    plc llc gmbh ag brothers sons bros universität gesellschaft verein partei ministerium institut université
    société académie compagnie ministère parti conseil universidad sociedad academia università società
    accademia faculty conference convention synod dispensary asylum order corps force forces staff registry
    inquiry airline airways air commonwealth nations clan dynasty confederation command legislature diocese
    archdiocese tribe electronics fc f.c ac afc athletic entertainment productions industries systems
    technologies international partnership consortium coalition alliance sewers animation directorate
    secretariat guard guards rifles fusiliers dragoons cavalry infantry militia artillery marines lodge
    sisters symphony philharmonic choir ensemble quartet trio foods motors holdings media communications
    pharmaceuticals semiconductor software energy petroleum oil steel chemical chemicals motor insurance
    enterprises ventures partners associates franciscans jesuits rovers wanderers albion hotspur united
    rangers celtics yankees bulldogs tigers wildcats eagles polytechnic conservatory conservatoire seminary
    gymnasium lyceum ballet opera-company railroad railroads publications worldwide bancorp bancshares holding
    conglomerate comics metro liga bund verband televisión radiotelevisión editorial teatro compañía nets
    knicks lakers islanders devils canadiens mets dodgers cubs redskins cowboys packers steelers broncos
    raiders chiefs seahawks falcons panthers dolphins bengals ravens colts texans titans jaguars bills
    patriots buccaneers cardinals braves phillies orioles astros mariners athletics pirates brewers royals
    rockies diamondbacks padres marlins nationals raptors pistons pacers bucks hornets grizzlies mavericks
    spurs clippers blazers sonics supersonics timberwolves cavaliers penguins flyers sabres senators
    blackhawks oilers flames canucks sharks predators huskies spartans trojans bruins longhorns sooners
    hawkeyes badgers gators seminoles hurricanes wolverines buckeyes caucus parliamentarians soviet presidium
    politburo sejm storting folketing riksdag bundesrat dairy distillery bakery foundry shipyard councils
    ministries co-operative cooperative recordings yuan
""")
PLACE_HEADS = wordset("""
    street road avenue lane square river city town county lake mountain mountains mount island islands isle
    farm range ranges highlands territory territories route roundabout bay sea ocean land valley temple hill
    hills park bridge gate house hall palace castle tower cathedral abbey chapel cemetery district province
    state states region parish village borough kingdom republic empire peninsula cape coast desert forest
    canal harbour harbor port airport station beach gulf strait channel court row place yard alley terrace
    crescent gardens garden green common market wharf dock docks pump well spring falls creek plateau plain
    plains basin delta glacier volcano quarter prefecture municipality township straße strasse platz fluss
    stadt rue pont plaza calle via piazza stadium arena building heath field fields wood cross highway
    motorway boulevard circus embankment moor brook pass point springs statue monument memorial reservoir dam
    pond grove mansion prison jail fell ridge peak summit cove crater sultanate satrapy khanate emirate oblast
    raion voivodeship kolkhoz manor lodge villa estate resort hotel inn diner cafe casino ranch plantation
    courthouse interstate turnpike parkway viaduct tunnel tram subway marina pier quay landing hollow heights
    meadows sound inlet fjord loch lough strand shoal reef atoll archipelago cliffs bluff canyon gorge mesa
    steppe duchy principality caliphate colony protectorate dominion shrine mosque synagogue monastery convent
    priory fortress terminal arrondissement citadel zoo aquarium pueblo raceway speedway racecourse
""")
PLACE_FIRST = wordset("""
    lake mount mt river cape fort port isle county gulf bay upper lower great new san santa los las el st
""")
"""A name that begins so is often a place; a weak sign."""
CONCEPT_HEADS = wordset("""
    christmas easter thanksgiving ramadan passover hanukkah halloween act law bill treaty war battle
    revolution constitution theory report bible award prize medal cup championship tournament games olympics
    festival day league-cup movement era age period century reformation renaissance enlightenment crisis
    depression plague famine principle theorem conjecture equation effect syndrome disease fever code project
    program programme plan policy charter declaration convention amendment agreement accord protocol pact
    papers letters chronicles trilogy series novel saga album tour language rebellion uprising massacre siege
    campaign operation exhibition census survey study bulletin paper map catholicism protestantism
    christianity islam judaism buddhism hinduism marxism latin hebrew sanskrit unix linux windows python java
    journal magazine review daily gazette herald tribune telegraph times lancet register book volume clause
    decree edict manifesto symposium bowl open flight baronetcy contest draft awards olympiad cinema-prize
    sonata concerto overture ballad anthem dictionary encyclopedia encyclopaedia almanac gospel epistle sermon
    oratorio cantata pageant derby marathon regatta trophy offensive expedition crusade mutiny coup strike
    boycott affair scandal summit-meeting doctrine method model law-case test index scale number paradox ratio
    curve edition directive hypothesis lemma singles rating
""")
HEADS = ORG_HEADS | PLACE_HEADS | CONCEPT_HEADS
"""Last words of names that say what is named."""
LOWER_HEADS = wordset("""
    war wars council clan dynasty empire river sea ocean island islands league confederacy temple garden
    gardens pump canal revolution creek mountains mountain valley treaty street bridge lake movement
""")
"""Heads that end a name though written small: "Amphictyonic council"."""
ORDINALS = wordset("""
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
    fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
""")
DEMONYMS = wordset("""
    american british english french german italian spanish portuguese dutch belgian swiss austrian polish
    russian ukrainian swedish norwegian danish finnish icelandic irish scottish welsh greek roman turkish
    egyptian indian chinese japanese korean vietnamese thai australian canadian mexican brazilian argentine
    argentinian chilean colombian peruvian cuban african asian european israeli jewish arab arabic persian
    iranian iraqi syrian hungarian czech slovak romanian bulgarian serbian croatian bosnian albanian catholic
    protestant christian muslim islamic buddhist hindu anglican victorian elizabethan georgian edwardian
    medieval byzantine ottoman soviet prussian bavarian parisian venetian florentine spartan athenian jacobin
    whig tory republican democratic democrat conservative liberal labour western eastern northern southern
    north south east west northeast northwest southeast southwest bengali punjabi pakistani sri-lankan
    nigerian kenyan ethiopian moroccan londoner londoners parisians americans germans russians italians
    britons romans greeks jews christians muslims indians europeans africans asians catholics protestants
    puritans calvinist lutheran methodist baptist presbyterian jesuit franciscan dominican latin gothic celtic
    norse saxon norman anglo-saxon hebrew cantonese mandarin nazi soviets filipino indonesian malaysian
    caribbean hawaiian californian texan scots scotch flemish catalan basque hindi tamil telugu urdu malayalam
    marathi kannada gujarati swahili tagalog yiddish afrikaans estonian latvian lithuanian armenian
    azerbaijani kazakh uzbek mongolian tibetan burmese cambodian khmer laotian nepali nepalese bangladeshi
    singaporean taiwanese ghanaian tanzanian ugandan zambian zimbabwean somali sudanese congolese senegalese
    algerian tunisian libyan angolan cameroonian ivorian namibian malian lebanese jordanian saudi kuwaiti
    qatari emirati yemeni omani palestinian cypriot maltese bolivian ecuadorian uruguayan paraguayan
    venezuelan panamanian jamaican haitian puerto guatemalan honduran nicaraguan salvadoran fijian samoan
    maori papuan sicilian sardinian neapolitan milanese tuscan genoese swabian bohemian moravian slavic
    germanic iberian balkan scandinavian baltic mediterranean latin-american african-american afro-american
    native-american english-american mughal maratha manchu sikh sunni shia shiite sunnite creole welshman
    englishman frenchman irishman dutchman scotsman
""")
"""Adjectives made from names (and names of peoples): no names by themselves."""
_KINDS = {
    "place": """
        city town village river island country state county district region municipality mountain lake street
        parish suburb neighbourhood neighborhood capital settlement commune province sea bay port peninsula
        census-designated locality hamlet community township reservoir dam road highway avenue boulevard
        stadium arena mausoleum mosque cathedral skyscraper waterfall ridge desert canal expressway tributary
        archipelago barangay comarca borough square building bridge airport station
    """,
    "organisation": """
        company organisation organization band group party team club duo trio quartet ensemble broadcaster
        firm manufacturer subsidiary franchise brewery retailer brand-owner regiment brigade squadron troupe
        network station-group ministry department agency airline carrier newspaper university school college
        institution society bank charity publisher label league association corporation council committee
        union orchestra choir provider lender distributor operator outfit quintet supergroup nonprofit brewer
        automaker carmaker bookseller startup think-tank militia faction movement guild tribe clan dynasty
        lodge sorority fraternity steelmaker shipbuilder dairy wholesaler supermarket bakery parliament senate
        congress legislature assembly co-operative conglomerate contractor cooperative developer employer
        family insurer organiser organizer producer regulator sect sponsor start-up studio supplier
        trade-union watchdog
    """,
    "person": """
        character protagonist antagonist villain superhero supervillain hero heroine
    """,
    "concept": """
        film movie novel book album song single ep series game play opera poem magazine journal theory disease
        law treaty battle war method language religion programme program software system musical symphony
        award prize episode season chapter miniseries sitcom telenovela show soundtrack anthem hymn comic
        manga anime currency genus species breed format drug vaccine device console locomotive car automobile
        aircraft missile festival chart tournament championship cup trophy medal honour honor aria ballet
        documentary trilogy videogame brand dialect alphabet script enzyme protein gene virus mineral rock
        alloy engine protocol standard branch process event concept term theorem
    """,
}
KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
"""Common noun -> the kind of what it says a name names: "X is a river"."""
SAYING = wordset("""
    say argue believe claim contend maintain insist think hold suggest propose assert conclude report write
    note observe declare state explain admit deny doubt warn remark reply answer affirm allege suppose suspect
    acknowledge concede confess hypothesise hypothesize demonstrate prove show find testify object tell ask
""")
"""Verbs whose subject speaks or thinks."""


def _gazetteer(words: str, longer: str) -> frozenset[str]:
    return wordset(words) | frozenset(" ".join(name.split()) for name in longer.split("|"))


PLACES = _gazetteer(
    """
    Earth Broadway Hollywood Bollywood Macau Manchuria Aragon Castile Navarre Andalusia Flanders Wallonia
    Thrace Anatolia Mesopotamia Judea Galilee Samaria Transylvania Wallachia Ruthenia Courland Livonia Karelia
    Lapland Crimea Dalmatia Istria Slavonia Styria Carinthia Thuringia Westphalia Hesse Pomerania Rhineland
    Gascony Picardy Champagne Savoy Piedmont Liguria Umbria Calabria Apulia Campania Kashmir Punjab Gujarat
    Rajasthan Maharashtra Karnataka Kerala Bihar Odisha Assam Sindh Balochistan Yunnan Sichuan Guangdong
    Fujian Hunan Hubei Hebei Henan Shandong Shaanxi Gansu Xinjiang Hokkaido Honshu Kyushu Shikoku Sumatra
    Borneo Sulawesi Luzon Mindanao Zanzibar Tanganyika Rhodesia Transvaal Natal Biafra Darfur Patagonia
    Amazonia Yucatán Jalisco Chiapas Oaxaca Antioquia Bahia Pará Cornwall Devon Dorset Kent Sussex Surrey
    Essex Norfolk Suffolk Cumbria Durham Northumberland Lancashire Yorkshire Cheshire Shropshire Staffordshire
    Derbyshire Nottinghamshire Lincolnshire Leicestershire Warwickshire Worcestershire Herefordshire
    Gloucestershire Oxfordshire Buckinghamshire Bedfordshire Hertfordshire Cambridgeshire Somerset Wiltshire
    Hampshire Berkshire Middlesex Ulster Munster Leinster Connacht Gwynedd Powys Holland Afghanistan Albania
    Algeria Andorra Angola Argentina Armenia Australia Austria Azerbaijan Bahamas Bahrain Bangladesh Barbados
    Belarus Belgium Belize Benin Bhutan Bolivia Bosnia Botswana Eastbourne Norwood Brazil Brunei Bulgaria
    Burma Burundi Cambodia Cameroon Canada Chad Chile China Colombia Congo Croatia Cuba Cyprus Czechoslovakia
    Denmark Djibouti Ecuador Egypt Eritrea Estonia Ethiopia Fiji Finland France Gabon Gambia Germany Ghana
    Greece Greenland Grenada Guatemala Guinea Guyana Haiti Honduras Hungary Iceland India Indonesia Iran Iraq
    Ireland Israel Italy Jamaica Japan Jordan Kazakhstan Kenya Kosovo Kuwait Kyrgyzstan Laos Latvia Lebanon
    Lesotho Liberia Libya Liechtenstein Lithuania Luxembourg Macedonia Madagascar Malawi Malaysia Maldives
    Mali Malta Mauritania Mauritius Mexico Moldova Monaco Mongolia Montenegro Morocco Mozambique Myanmar
    Namibia Nepal Netherlands Nicaragua Niger Nigeria Norway Oman Pakistan Palestine Panama Paraguay Persia
    Peru Philippines Poland Portugal Prussia Qatar Romania Russia Rwanda Samoa Senegal Serbia Siam Singapore
    Slovakia Slovenia Somalia Spain Sudan Suriname Sweden Switzerland Syria Taiwan Tajikistan Tanzania
    Thailand Tibet Togo Tonga Tunisia Turkey Turkmenistan Uganda Ukraine Uruguay Uzbekistan Vanuatu Venezuela
    Vietnam Wales Yemen Yugoslavia Zambia Zimbabwe England Scotland Britain Africa Asia Europe America Oceania
    Antarctica Scandinavia Siberia Balkans Bavaria Saxony Bohemia Moravia Galicia Silesia Tuscany Lombardy
    Sicily Sardinia Corsica Provence Normandy Brittany Burgundy Alsace Lorraine Catalonia Bengal Korea Gaul
    Babylon Macedon Alabama Alaska Arizona Arkansas California Colorado Connecticut Delaware Florida Georgia
    Hawaii Idaho Illinois Indiana Iowa Kansas Kentucky Louisiana Maine Maryland Massachusetts Michigan
    Minnesota Mississippi Missouri Montana Nebraska Nevada Ohio Oklahoma Oregon Pennsylvania Tennessee Texas
    Utah Vermont Virginia Washington Wisconsin Wyoming Ontario Quebec Manitoba Alberta Saskatchewan Yukon
    Queensland Tasmania Victoria London Paris Berlin Rome Madrid Vienna Moscow Beijing Peking Tokyo Delhi
    Mumbai Bombay Calcutta Kolkata Madras Chennai Bangalore Lahore Karachi Dhaka Kabul Tehran Baghdad Damascus
    Beirut Jerusalem Cairo Alexandria Istanbul Constantinople Athens Sparta Corinth Thebes Carthage Troy
    Venice Florence Milan Naples Genoa Turin Bologna Padua Pisa Verona Palermo Barcelona Seville Valencia
    Granada Toledo Lisbon Porto Brussels Antwerp Bruges Ghent Amsterdam Rotterdam Leiden Utrecht Copenhagen
    Stockholm Oslo Bergen Helsinki Reykjavik Dublin Belfast Cork Edinburgh Glasgow Aberdeen Dundee Leith
    Cardiff Swansea Manchester Liverpool Birmingham Leeds Sheffield Bristol Newcastle York Hull Oxford
    Cambridge Nottingham Leicester Norwich Exeter Plymouth Southampton Portsmouth Brighton Bath Sunderland
    Canterbury Westminster Soho Lambeth Southwark Greenwich Chelsea Kensington Hampstead Battersea Munich
    Hamburg Cologne Frankfurt Dresden Leipzig Stuttgart Nuremberg Bremen Hanover Göttingen Heidelberg Weimar
    Jena Prague Budapest Warsaw Krakow Cracow Gdansk Danzig Königsberg Riga Vilnius Tallinn Minsk Kiev Kyiv
    Odessa Leningrad Petersburg Sevastopol Bucharest Sofia Belgrade Zagreb Sarajevo Zürich Zurich Geneva Basel
    Bern Lausanne Lyon Marseille Marseilles Bordeaux Toulouse Strasbourg Nantes Rouen Lille Reims Orléans
    Avignon Dijon Versailles Boston Chicago Philadelphia Baltimore Detroit Cleveland Pittsburgh Cincinnati
    Houston Dallas Austin Denver Seattle Portland Atlanta Miami Memphis Nashville Richmond Charleston Savannah
    Milwaukee Minneapolis Honolulu Brooklyn Manhattan Bronx Harlem Queens Albany Buffalo Rochester Princeton
    Toronto Montreal Ottawa Vancouver Winnipeg Calgary Edmonton Halifax Havana Kingston Caracas Bogotá Lima
    Quito Santiago Montevideo Brasília Sydney Melbourne Brisbane Perth Adelaide Canberra Hobart Auckland
    Wellington Christchurch Shanghai Nanjing Nanking Canton Guangzhou Shenzhen Wuhan Chongqing Tianjin Taipei
    Kyoto Osaka Hiroshima Nagasaki Kobe Seoul Pyongyang Busan Hanoi Saigon Huế Bangkok Manila Jakarta Rangoon
    Mandalay Colombo Kathmandu Lagos Accra Nairobi Johannesburg Pretoria Algiers Tunis Tripoli Casablanca
    Marrakesh Khartoum Mecca Medina Riyadh Dubai Doha Gaza Haifa Thames Severn Mersey Tyne Clyde Seine Loire
    Rhine Danube Elbe Oder Vistula Volga Nile Ganges Indus Euphrates Tigris Yangtze Mekong Amazon Tiber Rhône
    Potomac Hudson Alps Pyrenees Andes Himalayas Caucasus Urals Carpathians Sahara Atlantic Pacific
    Mediterranean Baltic Caribbean Adriatic Deutschland Frankreich Österreich Schweiz München Wien Köln Bayern
    Preußen Italien Spanien Russland Londres Allemagne Angleterre Espagne Italie Suisse España Alemania Italia
    Francia Roma Milano Firenze Napoli Venezia Москва Россия Лондон Париж Петербург Киев Лондоне Москве Париже
    Indochina
    """,
    """
    United States| United Kingdom| United States of America| Great Britain| Northern Ireland| New Zealand|
    South Africa| South Korea| North Korea| Saudi Arabia| Sri Lanka| Costa Rica| El Salvador| Puerto Rico|
    Dominican Republic| Czech Republic| Soviet Union| Ottoman Empire| Roman Empire| Holy Roman Empire| British
    Empire| Hong Kong| New York| New York City| New Jersey| New Hampshire| New Mexico| New Orleans| New Delhi|
    New England| New South Wales| Nova Scotia| British Columbia| North Carolina| South Carolina| North Dakota|
    South Dakota| West Virginia| Rhode Island| Los Angeles| San Francisco| San Diego| San Antonio| San José|
    Las Vegas| Santa Fe| Salt Lake City| Kansas City| St. Louis| St Louis| St. Petersburg| Saint Petersburg|
    St Petersburg| Rio de Janeiro| São Paulo| Buenos Aires| Mexico City| Cape Town| Addis Ababa| Tel Aviv|
    Kuala Lumpur| Ho Chi Minh City| Hồ Chí Minh| Hà Nội| Việt Nam| Viet Nam| Đà Nẵng| Sài Gòn| Papua New
    Guinea| Sierra Leone| Ivory Coast| Burkina Faso| Middle East| Far East| Latin America| North America|
    South America| Central America| West Indies| East Indies| Western Europe| Eastern Europe| East Germany|
    West Germany| Nazi Germany| East Anglia| Isle of Wight| Isle of Man| Tower Hamlets| The Hague| Den Haag|
    Abu Dhabi| Washington, D.C.| Washington D.C.| Asia Minor| Frankfurt am Main| Great Lakes| Black Sea| Red
    Sea| North Sea| Irish Sea| English Channel| Panama Canal| Suez Canal| British India| Golden Square| Bosnia
    and Herzegovina| Trinidad and Tobago| Antigua and Barbuda| Newfoundland and Labrador| U.S.| U.K.| US| USA|
    UK| U.S.A.| USSR| Dar es Salaam| Upper Canada| Lower Canada| Papua| Hawaiʻi
    """,
)
"""Countries, regions, states of the USA, and large or storied cities."""
ORGANISATIONS = _gazetteer(
    """
    UN NATO UNESCO UNICEF UNHCR WTO IMF OECD OPEC ASEAN IAEA ICC Interpol EEC EU ECB OSCE Comintern Cominform
    FBI CIA NSA NASA FDA EPA FCC IRS FEMA NIH CDC DARPA KGB GRU FSB NKVD Gestapo Stasi Mossad MI5 MI6 GCHQ NHS
    BBC ITV CBS NBC ABC PBS CNN HBO MTV ESPN CNBC MSNBC NPR CBC RAI ZDF ARD TVB NHK UPN TNT TBS Netflix Hulu
    Nickelodeon Telemundo Univision Showtime Starz Cinemax Reuters Bloomberg TASS Xinhua Pravda Izvestia Kyodo
    FIFA UEFA NFL NBA NHL MLB MLS NCAA WNBA IOC PGA WWE WWF WCW UFC NASCAR Hezbollah Hamas Taliban Fatah PLO
    Likud IRA ETA PKK FARC Mafia Camorra Vietcong ISIS ISIL Solidarność Microsoft Google Facebook Twitter
    YouTube Intel IBM AMD Nokia Ericsson Samsung Sony Toyota Honda Nissan Mazda Mitsubishi Hitachi Toshiba
    Panasonic Nintendo Sega Atari Capcom Konami Ubisoft Volkswagen BMW Audi Porsche Fiat Ferrari Renault
    Peugeot Citroën Volvo Saab Ikea IKEA Boeing Airbus Lockheed Raytheon Siemens BASF Krupp Pfizer Novartis
    Nestlé Unilever Danone Heineken Carlsberg Guinness PepsiCo Walmart Tesco Sainsbury's Costco Lidl Aldi
    Carrefour Lufthansa Qantas KLM Aeroflot Ryanair EasyJet Finnair Alitalia Exxon ExxonMobil Chevron Texaco
    Gazprom Rosneft Petrobras Enron Citigroup Citibank HSBC Barclays UBS JPMorgan Santander Mastercard PayPal
    Amazon.com eBay Uber Airbnb SpaceX Verizon AT&T Comcast Vodafone Motorola Kodak Xerox Polaroid Chrysler
    Disney Pixar Paramount MGM DreamWorks Miramax Lionsgate Lucasfilm Viacom Motown Juventus Ajax Benfica
    Labour Whigs Greenpeace Oxfam Wikipedia Wikimedia Mozilla Harvard Yale Stanford MIT UCLA USC NYU Caltech
    Sorbonne ETH Eton Wehrmacht Luftwaffe Bundeswehr RAF USAF USMC ROTC Congress Parliament Senate Bundestag
    Reichstag Knesset Duma Politburo Kremlin Pentagon Beatles Metallica Nirvana Radiohead Coldplay ABBA
    Aerosmith U2 R.E.M. AC/DC Kuomintang KMT Komintern CPSU SPD CDU CSU FDP PASOK ANC BJP NAACP ACLU AFL CIO
    NRA AARP Democrats Republicans Communists Conservatives Liberals Socialists Nazis Bolsheviks Mensheviks
    Federalists Jacobins Girondins Huguenots Puritans Quakers Mormons Methodists Baptists Lutherans Calvinists
    Jesuits Franciscans Dominicans Benedictines Anglicans Presbyterians Shiites Shias Sunnis Sikhs Allies
    Confederates House Commons Treasury Admiralty Exchequer Unionists Zionists Suffragettes Chartists
    Luddites Populists
    """,
    """
    United Nations| European Union| League of Nations| World Bank| Red Cross| Red Army|
    Royal Navy| Royal Air Force| House of Commons| House of Lords| White House| Scotland Yard| Ku Klux Klan|
    Al Qaeda| Al-Qaeda| Sinn Féin| Viet Cong| Viet Minh| Rouge| Muslim Brotherhood| African Union| Warsaw
    Pact| Associated Press| Agence France-Presse| Al Jazeera| Fox News| New York Times| Washington Post| Wall
    Street Journal| Le Monde| Der Spiegel| General Electric| General Motors| Warner Bros.| Warner Bros| 20th
    Century Fox| Universal Pictures| Columbia Pictures| Standard Oil| Procter & Gamble| Johnson & Johnson|
    Rolls-Royce| British Petroleum| Royal Dutch Shell| Goldman Sachs| Morgan Stanley| Lehman Brothers|
    Deutsche Bank| Credit Suisse| Real Madrid| Manchester United| Manchester City| Bayern Munich| Inter
    Milan| AC Milan| Iron Maiden| Led Zeppelin| Pink Floyd| Rolling Stones| Black Sabbath| Deep Purple|
    Doctors Without Borders| International| Salvation Army| Nation of Islam| Black Panthers| East India
    Company| Hudson's Bay Company| Supreme Court| Security Council| General Assembly| Vatican| Holy See|
    Church of England| Catholic Church| Roman Catholic Church| Orthodox Church| Communist Party| Labour
    Party| Conservative Party| Democratic Party| Republican Party| Liberal Party| Coca-Cola Company|
    Hewlett-Packard| Texas Instruments| Cartoon Network| Disney Channel| Comedy Central| Discovery Channel|
    History Channel| National Geographic| Yorkshire Television| Channel 4
    """,
)
"""Organisations that are named without saying what they are."""
