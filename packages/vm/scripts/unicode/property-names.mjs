// The names that \p{…} may take. V8 asks ICU for them and demands an exact alias; ICU cannot be asked
// for its list through the language, so these are tried one by one and kept if the host accepts them.
// Four-letter script codes are tried exhaustively, which shows whether a script is missing below.

const CATEGORIES = `
C Other|Cc Control cntrl|Cf Format|Cn Unassigned|Co Private_Use|Cs Surrogate|L Letter|LC Cased_Letter
Ll Lowercase_Letter|Lm Modifier_Letter|Lo Other_Letter|Lt Titlecase_Letter|Lu Uppercase_Letter
M Mark Combining_Mark|Mc Spacing_Mark|Me Enclosing_Mark|Mn Nonspacing_Mark|N Number|Nd Decimal_Number digit
Nl Letter_Number|No Other_Number|P Punctuation punct|Pc Connector_Punctuation|Pd Dash_Punctuation
Pe Close_Punctuation|Pf Final_Punctuation|Pi Initial_Punctuation|Po Other_Punctuation|Ps Open_Punctuation
S Symbol|Sc Currency_Symbol|Sk Modifier_Symbol|Sm Math_Symbol|So Other_Symbol|Z Separator|Zl Line_Separator
Zp Paragraph_Separator|Zs Space_Separator`;

const BINARY = `
AHex ASCII_Hex_Digit|Alpha Alphabetic|Bidi_C Bidi_Control|Bidi_M Bidi_Mirrored|CI Case_Ignorable|Cased
CWCF Changes_When_Casefolded|CWCM Changes_When_Casemapped|CWKCF Changes_When_NFKC_Casefolded
CWL Changes_When_Lowercased|CWT Changes_When_Titlecased|CWU Changes_When_Uppercased|Dash
DI Default_Ignorable_Code_Point|Dep Deprecated|Dia Diacritic|Emoji|EComp Emoji_Component
EMod Emoji_Modifier|EBase Emoji_Modifier_Base|EPres Emoji_Presentation|ExtPict Extended_Pictographic
Ext Extender|Gr_Base Grapheme_Base|Gr_Ext Grapheme_Extend|Hex Hex_Digit|IDC ID_Continue|IDS ID_Start
Ideo Ideographic|IDSB IDS_Binary_Operator|IDST IDS_Trinary_Operator|Join_C Join_Control
LOE Logical_Order_Exception|Lower Lowercase|Math|NChar Noncharacter_Code_Point|Pat_Syn Pattern_Syntax
Pat_WS Pattern_White_Space|QMark Quotation_Mark|Radical|RI Regional_Indicator|STerm Sentence_Terminal
SD Soft_Dotted|Term Terminal_Punctuation|UIdeo Unified_Ideograph|Upper Uppercase|VS Variation_Selector
WSpace White_Space space|XIDC XID_Continue|XIDS XID_Start|Any|ASCII|Assigned
S_Term|Grapheme_Link Gr_Link|Hyphen|Prepended_Concatenation_Mark PCM|Full_Composition_Exclusion Comp_Ex
IDS_Unary_Operator IDSU|ID_Compat_Math_Start|ID_Compat_Math_Continue|NFD_Inert nfdinert|Segment_Starter
Case_Sensitive Sensitive|alnum|blank|graph|print|xdigit|NFC_Quick_Check|Other_Alphabetic|Expands_On_NFC`;

export const STRING_PROPERTIES = [
  "Basic_Emoji",
  "Emoji_Keycap_Sequence",
  "RGI_Emoji_Modifier_Sequence",
  "RGI_Emoji_Flag_Sequence",
  "RGI_Emoji_Tag_Sequence",
  "RGI_Emoji_ZWJ_Sequence",
  "RGI_Emoji",
];

export const LONG_SCRIPT_NAMES = `
Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Beria_Erfe
Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham
Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru
Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Garay Georgian Glagolitic Gothic Grantha Greek
Gujarati Gunjala_Gondi Gurmukhi Gurung_Khema Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana
Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana
Katakana_Or_Hiragana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Kirat_Rai Lao Latin
Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen
Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi
Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu
Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Ol_Onal Old_Hungarian Old_Italic Old_North_Arabian Old_Permic
Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene
Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham
Sidetic SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Sunuwar Syloti_Nagri Syriac Tagalog
Tagbanwa Tai_Le Tai_Tham Tai_Viet Tai_Yo Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh
Tirhuta Todhri Tolong_Siki Toto Tulu_Tigalari Ugaritic Unknown Vai Vithkuqi Wancho Warang_Citi Yezidi Yi
Zanabazar_Square`
  .trim()
  .split(/\s+/);

export const categoryNames = () => acceptedGroups(CATEGORIES, (name) => `\\p{gc=${name}}`);
export const binaryNames = () => acceptedGroups(BINARY, (name) => `\\p{${name}}`);

/** Every accepted script name, long or short. */
export function scriptNames() {
  const names = [...fourLetterCodes(), ...LONG_SCRIPT_NAMES].filter((name) => isAccepted(`\\p{sc=${name}}`));
  return [...new Set(names)];
}

function acceptedGroups(text, patternOf) {
  const groups = text
    .trim()
    .split(/[|\n]/)
    .map((group) => group.split(" ").filter((name) => isAccepted(patternOf(name))));
  return groups.filter((group) => group.length > 0);
}

function isAccepted(pattern) {
  try {
    return new RegExp(pattern, "u").unicode;
  } catch {
    return false;
  }
}

function* fourLetterCodes() {
  const lower = "abcdefghijklmnopqrstuvwxyz";
  for (const a of lower.toUpperCase())
    for (const b of lower) for (const c of lower) for (const d of lower) yield a + b + c + d;
}
