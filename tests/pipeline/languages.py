"""What article 1 of the Universal Declaration of Human Rights says, in many languages."""

LATIN = {
    "English": (
        "All human beings are born free and equal in dignity and rights. They are endowed with "
        "reason and conscience and should act towards one another in a spirit of brotherhood."
    ),
    "German": (
        "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und "
        "Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen."
    ),
    "French": (
        "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de "
        "raison et de conscience et doivent agir les uns envers les autres dans un esprit de "
        "fraternité."
    ),
    "Spanish": (
        "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como "
        "están de razón y conciencia, deben comportarse fraternalmente los unos con los otros."
    ),
    "Italian": (
        "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di "
        "ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza."
    ),
    "Portuguese": (
        "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão "
        "e de consciência, devem agir uns para com os outros em espírito de fraternidade."
    ),
    "Dutch": (
        "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd "
        "met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te "
        "gedragen."
    ),
    "Swedish": (
        "Alla människor är födda fria och lika i värde och rättigheter. De har utrustats med "
        "förnuft och samvete och bör handla gentemot varandra i en anda av gemenskap."
    ),
    "Polish": (
        "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni "
        "obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa."
    ),
    "Czech": (
        "Všichni lidé se rodí svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a "
        "svědomím a mají spolu jednat v duchu bratrství."
    ),
    "Hungarian": (
        "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel "
        "és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek."
    ),
    "Finnish": (
        "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on "
        "annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä."
    ),
    "Turkish": (
        "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana "
        "sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler."
    ),
    "Vietnamese": (
        "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi. Mọi con "
        "người đều được tạo hóa ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình "
        "anh em."
    ),
    "Indonesian": (
        "Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama. Mereka "
        "dikaruniai akal dan hati nurani dan hendaknya bergaul satu sama lain dalam semangat "
        "persaudaraan."
    ),
}

OTHERS = {
    "Russian": (
        "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом "
        "и совестью и должны поступать в отношении друг друга в духе братства."
    ),
    "Greek": (
        "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι "
        "προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με "
        "πνεύμα αδελφοσύνης."
    ),
    "Arabic": (
        "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل "
        "بعضهم بعضا بروح الإخاء."
    ),
    "Hebrew": (
        "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך "
        "חובה עליהם לנהוג איש ברעהו ברוח של אחווה."
    ),
    "Chinese": ("人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。"),
    "Japanese": ("すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"),
}
