"""A compact gazetteer of organisations that are named without saying what they are."""

_ONE_WORD = """
    UN NATO UNESCO UNICEF UNHCR WTO IMF OECD OPEC ASEAN IAEA ICC Interpol EEC EU ECB OSCE Comintern
    Cominform FBI CIA NSA NASA FDA EPA FCC IRS FEMA NIH CDC DARPA KGB GRU FSB NKVD Gestapo Stasi Mossad MI5
    MI6 GCHQ NHS BBC ITV CBS NBC ABC PBS CNN HBO MTV ESPN CNBC MSNBC NPR CBC RAI ZDF ARD TVB NHK UPN TNT TBS
    Netflix Hulu Nickelodeon Telemundo Univision Showtime Starz Cinemax Reuters Bloomberg TASS Xinhua Pravda
    Izvestia Kyodo FIFA UEFA NFL NBA NHL MLB MLS NCAA WNBA IOC PGA WWE WWF WCW UFC NASCAR Hezbollah
    Hamas Taliban
    Fatah PLO Likud IRA ETA PKK FARC Mafia Camorra Vietcong ISIS ISIL Solidarność Microsoft Google
    Facebook Twitter YouTube Intel IBM AMD Nokia Ericsson Samsung Sony Toyota Honda Nissan Mazda Mitsubishi
    Hitachi Toshiba Panasonic Nintendo Sega Atari Capcom Konami Ubisoft Volkswagen BMW Audi Porsche
    Fiat Ferrari
    Renault Peugeot Citroën Volvo Saab Ikea IKEA Boeing Airbus Lockheed Raytheon Siemens BASF Krupp
    Pfizer Novartis Nestlé Unilever Danone Heineken Carlsberg Guinness PepsiCo Walmart Tesco
    Sainsbury's Costco
    Lidl Aldi Carrefour Lufthansa Qantas KLM Aeroflot Ryanair EasyJet Finnair Alitalia Exxon
    ExxonMobil Chevron Texaco Gazprom Rosneft Petrobras Enron Citigroup Citibank HSBC Barclays UBS JPMorgan
    Santander Mastercard PayPal Amazon.com eBay Uber Airbnb SpaceX Verizon AT&T Comcast Vodafone
    Motorola Kodak Xerox Polaroid Chrysler Disney Pixar Paramount MGM DreamWorks Miramax Lionsgate Lucasfilm
    Viacom Motown Juventus Ajax Benfica Labour Whigs Greenpeace Oxfam
    Wikipedia Wikimedia Mozilla Harvard Yale Stanford MIT UCLA USC NYU Caltech Sorbonne ETH Eton
    Wehrmacht Luftwaffe Bundeswehr RAF USAF USMC ROTC Congress Parliament Senate Bundestag Reichstag
    Knesset Duma
    Politburo Kremlin Pentagon Beatles Metallica Nirvana Radiohead Coldplay ABBA Aerosmith U2 R.E.M. AC/DC
    Kuomintang KMT Komintern CPSU SPD CDU CSU FDP PASOK ANC BJP NAACP ACLU AFL CIO NRA AARP
    Democrats Republicans Communists Conservatives Liberals Socialists Nazis Bolsheviks Mensheviks
    Federalists
    Jacobins Girondins Huguenots Puritans Quakers Mormons Methodists Baptists Lutherans Calvinists Jesuits
    Franciscans Dominicans Benedictines Anglicans Presbyterians Shiites Shias Sunnis Sikhs Allies
    Confederates
    Unionists Zionists Suffragettes Chartists Luddites Populists
"""
_LONGER = """
    United Nations| European Union| League of Nations| World Bank| Red Cross| Red Army| Royal Navy|
    Royal Air Force|
    House of Commons| House of Lords| White House| Scotland Yard| Ku Klux Klan| Al Qaeda| Al-Qaeda|
    Sinn Féin|
    Viet Cong| Viet Minh| Rouge| Muslim Brotherhood| African Union| Warsaw Pact| Associated Press|
    Agence France-Presse| Al Jazeera| Fox News| New York Times| Washington Post| Wall Street
    Journal| Le Monde|
    Der Spiegel| General Electric| General Motors| Warner Bros.| Warner Bros| 20th Century Fox| Universal
    Pictures| Columbia Pictures| Standard Oil| Procter & Gamble| Johnson & Johnson| Rolls-Royce|
    British Petroleum|
    Royal Dutch Shell| Goldman Sachs| Morgan Stanley| Lehman Brothers| Deutsche Bank| Credit Suisse|
    Real Madrid|
    Manchester United| Manchester City| Bayern Munich| Inter Milan| AC Milan| Iron Maiden| Led
    Zeppelin| Pink Floyd|
    Rolling Stones| Black Sabbath| Deep Purple| Doctors Without Borders| International| Salvation Army|
    Nation of Islam| Black Panthers| East India Company| Hudson's Bay Company| Supreme Court|
    Security Council|
    General Assembly| Vatican| Holy See| Church of England| Catholic Church| Roman Catholic Church|
    Orthodox Church|
    Communist Party| Labour Party| Conservative Party| Democratic Party| Republican Party| Liberal Party|
    Coca-Cola Company| Hewlett-Packard| Texas Instruments| Cartoon Network| Disney Channel| Comedy Central|
    Discovery Channel| History Channel| National Geographic| Yorkshire Television| Channel 4
"""
ORGANISATIONS = frozenset(_ONE_WORD.split()) | frozenset(
    " ".join(name.split()) for name in _LONGER.split("|")
)
