"""Every error code with its general sentence and, if there is one, a hint.

The W3C codes come from XQuery 3.1 (XP…, XQ…), Functions and Operators 3.1 (FO…) and Serialization 3.1 (SE…); ours start
with XY: XYST static, XYDY dynamic, XYIN input, XYRT runner. The sentence names the rule that was broken; the details
are added where the error is raised. The entries are sorted by code.
"""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """The general sentence of a code, and a hint that always applies."""

    title: str
    hint: str = ""


CATALOGUE: dict[str, Entry] = {
    # Functions and Operators 3.1
    "FOAP0001": Entry("fn:apply got an array whose size is not the function's arity"),
    "FOAR0001": Entry("division by zero", "test the divisor first, or divide xs:double values, which give INF or NaN"),
    "FOAR0002": Entry("the numeric result is too large or too small to represent"),
    "FOAY0001": Entry("the array index is out of bounds", "array indexes run from 1 to array:size($array)"),
    "FOAY0002": Entry("the length of a subarray must not be negative"),
    "FOCA0001": Entry("the value is too large for xs:decimal"),
    "FOCA0002": Entry("the text is not a valid lexical QName, or the number cannot be converted"),
    "FOCA0003": Entry("the value is too large for xs:integer"),
    "FOCA0005": Entry("NaN cannot be used in duration arithmetic"),
    "FOCA0006": Entry("the text has too many digits for xs:decimal"),
    "FOCH0001": Entry("the number is not the codepoint of an XML character"),
    "FOCH0002": Entry(
        "the collation is not supported",
        "use codepoint, html-ascii-case-insensitive, or a UCA collation",
    ),
    "FOCH0003": Entry("the normalization form is not supported", "use NFC, NFD, NFKC or NFKD"),
    "FOCH0004": Entry("the collation cannot compare parts of strings"),
    "FODC0001": Entry("the function needs a node in a tree whose root is a document node"),
    "FODC0002": Entry("the document or collection cannot be retrieved"),
    "FODC0003": Entry("the function cannot guarantee the same answer for repeated calls"),
    "FODC0004": Entry("the argument is not a usable collection URI"),
    "FODC0005": Entry("the argument is not a usable document URI"),
    "FODC0006": Entry("the string is not a well-formed XML document or fragment"),
    "FODC0010": Entry("this processor cannot parse XML from a string here"),
    "FODF1280": Entry("there is no such decimal format", "declare it in the prolog: declare decimal-format …"),
    "FODF1310": Entry("the picture string is not valid for format-number"),
    "FODT0001": Entry("the date or time is out of range"),
    "FODT0002": Entry("the duration is out of range"),
    "FODT0003": Entry("the timezone must lie between -PT14H and PT14H, in whole minutes"),
    "FOER0000": Entry("the query raised an error with fn:error"),
    "FOFD1340": Entry("the picture string is not valid for a date or time format"),
    "FOFD1350": Entry("the picture asks for a component the value does not have"),
    "FOJS0001": Entry("the text is not valid JSON"),
    "FOJS0003": Entry("the same key occurs twice"),
    "FOJS0004": Entry("this processor cannot validate the XML form of JSON"),
    "FOJS0005": Entry("the options of the function are not valid"),
    "FOJS0006": Entry("the XML is not a valid representation of JSON"),
    "FOJS0007": Entry("the JSON text has an invalid escape sequence"),
    "FONS0004": Entry("the prefix has no namespace in scope of the element"),
    "FONS0005": Entry("the base URI is not known"),
    "FOQM0001": Entry("the module URI must not be empty"),
    "FOQM0002": Entry("no module was found for this target namespace"),
    "FOQM0003": Entry("the loaded module has an error"),
    "FOQM0005": Entry("a parameter of the loaded module has the wrong type"),
    "FOQM0006": Entry("no processor is available for the version the module asks for"),
    "FORG0001": Entry("the value cannot be cast to this type"),
    "FORG0002": Entry("the argument of fn:resolve-uri is not a valid URI"),
    "FORG0003": Entry("fn:zero-or-one got more than one item"),
    "FORG0004": Entry("fn:one-or-more got an empty sequence"),
    "FORG0005": Entry("fn:exactly-one got none or several items"),
    "FORG0006": Entry("the argument has a type the function cannot work with"),
    "FORG0008": Entry("fn:dateTime got a date and a time in different timezones"),
    "FORG0009": Entry("the relative URI cannot be resolved against this base"),
    "FORG0010": Entry("the text is not a date in an IETF format"),
    "FORX0001": Entry("the flags of the regular expression are not valid", "flags are among s, m, i, x and q"),
    "FORX0002": Entry("the regular expression is not valid"),
    "FORX0003": Entry("the regular expression matches the empty string, which this function does not allow"),
    "FORX0004": Entry("the replacement string is not valid", "write \\$ for a dollar sign and \\\\ for a backslash"),
    "FOTY0012": Entry("the node has no typed value"),
    "FOTY0013": Entry(
        "a function or map has no atomized value",
        "look a value up in the map, or call the function, instead of using it as a value itself",
    ),
    "FOTY0014": Entry("a function, map or array has no string value"),
    "FOTY0015": Entry("fn:deep-equal cannot compare functions"),
    "FOUT1170": Entry("the text resource cannot be retrieved"),
    "FOUT1190": Entry("the text resource cannot be decoded, or has characters XML does not allow"),
    "FOUT1200": Entry("the encoding of the text resource is unknown, and the text is not UTF-8"),
    "FOXT0001": Entry("no suitable XSLT processor is available", "Xylem runs XQuery; transform with an XSLT processor"),
    "FOXT0002": Entry("the parameters of fn:transform do not fit together"),
    "FOXT0003": Entry("the XSLT transformation failed"),
    "FOXT0004": Entry("XSLT transformation is switched off"),
    "FOXT0006": Entry("the result of the transformation has characters that cannot be represented"),
    # XSLT and XQuery Serialization 3.1
    "SENR0001": Entry(
        "the item cannot be serialized by this method",
        "attributes, namespace nodes and functions have no XML text; try the adaptive method",
    ),
    "SEPM0004": Entry("a standalone or doctype-system parameter needs a result with exactly one root element"),
    "SEPM0009": Entry("omit-xml-declaration=yes contradicts standalone, or a version other than 1.0 with a doctype"),
    "SEPM0010": Entry("undeclare-prefixes needs XML 1.1 output"),
    "SEPM0016": Entry("the value of the serialization parameter is not valid"),
    "SEPM0017": Entry("the serialization parameters cannot be extracted from this item"),
    "SEPM0018": Entry("the character map names the same character twice"),
    "SEPM0019": Entry("the same serialization parameter is given twice"),
    "SERE0003": Entry("the document to be serialized is not well formed"),
    "SERE0005": Entry("the result has a name that is not a valid QName in the output"),
    "SERE0006": Entry("the result has a character that the XML version of the output does not allow"),
    "SERE0008": Entry("a name or comment has a character the output encoding cannot represent"),
    "SERE0012": Entry("the result is not fully normalized, as normalization-form demands"),
    "SERE0014": Entry("HTML output does not allow control characters from #x7F to #x9F"),
    "SERE0015": Entry("an HTML processing instruction must not contain the character >"),
    "SERE0020": Entry("JSON has no number for infinity or NaN"),
    "SERE0021": Entry("the item has no JSON representation"),
    "SERE0022": Entry("the JSON output would have the same key twice", "set allow-duplicate-names to yes to accept it"),
    "SERE0023": Entry("JSON output holds one item, not a sequence", "wrap the sequence in an array: array { … }"),
    "SESU0007": Entry("the output encoding is not supported"),
    "SESU0011": Entry("the normalization form of the output is not supported"),
    "SESU0013": Entry("the version of the output format is not supported"),
    # XQuery 3.1
    "XPDY0002": Entry(
        "a part of the dynamic context has no value",
        "bind it where the query is run: the context item with -i, an external variable with -v",
    ),
    "XPDY0050": Entry("the tree does not have a document node at its root, or the value is not of the treated type"),
    "XPDY0130": Entry("a limit of the implementation was exceeded"),
    "XPST0001": Entry("a part of the static context has no value"),
    "XPST0003": Entry("the query does not follow the grammar"),
    "XPST0005": Entry("the expression can only be the empty sequence"),
    "XPST0008": Entry("the name is not declared"),
    "XPST0010": Entry("the axis is not supported"),
    "XPST0017": Entry("there is no function of this name and arity"),
    "XPST0051": Entry("there is no atomic type of this name"),
    "XPST0080": Entry(
        "a cast needs a concrete atomic type", "xs:NOTATION, xs:anySimpleType and xs:anyAtomicType are abstract"
    ),
    "XPST0081": Entry(
        "the namespace prefix is not declared",
        'declare it in the prolog: declare namespace prefix = "uri";',
    ),
    "XPTY0004": Entry("the value does not have the required type"),
    "XPTY0018": Entry(
        "a path returns both nodes and other items", "make the last step return only nodes, or only other items"
    ),
    "XPTY0019": Entry("every step of a path but the last must return nodes only"),
    "XPTY0020": Entry("an axis step needs a node as its context item"),
    "XPTY0117": Entry("an untyped value cannot become a namespace-sensitive type here"),
    "XQDY0025": Entry("two attributes of the constructed element have the same name"),
    "XQDY0026": Entry("the content of a processing instruction must not contain ?>"),
    "XQDY0027": Entry("validation failed"),
    "XQDY0041": Entry("the name of a processing instruction must be an NCName"),
    "XQDY0044": Entry(
        "the attribute name is not allowed", "namespaces are declared with xmlns or a namespace constructor"
    ),
    "XQDY0054": Entry("a variable or the context item depends on itself"),
    "XQDY0061": Entry("only a document with exactly one element child, and no text, can be validated"),
    "XQDY0064": Entry("a processing instruction must not be named xml"),
    "XQDY0072": Entry("a comment must neither contain -- nor end with -"),
    "XQDY0074": Entry("the computed name is not a valid QName, or its prefix is not known"),
    "XQDY0084": Entry("strict validation needs a declaration of the element"),
    "XQDY0091": Entry("the value of xml:id must be an NCName"),
    "XQDY0092": Entry("the value of xml:space must be preserve or default"),
    "XQDY0096": Entry("the element name is not allowed"),
    "XQDY0101": Entry("the namespace constructor breaks the rules for xml, xmlns or an empty URI"),
    "XQDY0102": Entry("the constructed element would bind one prefix to two namespaces"),
    "XQDY0137": Entry("the map constructor has the same key twice", "map:merge lets you choose which entry stays"),
    "XQST0009": Entry("schema import is not supported"),
    "XQST0012": Entry("the imported schemas do not fit together"),
    "XQST0013": Entry("the content of a pragma is not valid"),
    "XQST0016": Entry("module import is not supported"),
    "XQST0022": Entry("a namespace declaration must be a literal URI", "leave out the braces in xmlns=…"),
    "XQST0031": Entry("the version of XQuery is not supported", 'use "1.0", "3.0" or "3.1"'),
    "XQST0032": Entry("the prolog declares the base URI twice"),
    "XQST0033": Entry("the prolog declares the same namespace prefix twice"),
    "XQST0034": Entry("two functions have the same name and arity"),
    "XQST0035": Entry("two imported schemas declare the same name"),
    "XQST0036": Entry("the imported module uses a schema type that is not in scope"),
    "XQST0038": Entry("the default collation is declared twice, or not known"),
    "XQST0039": Entry("two parameters of a function have the same name"),
    "XQST0040": Entry("two attributes of an element have the same name"),
    "XQST0045": Entry(
        "the namespace is reserved and cannot hold declarations of a query",
        "put functions into the local: namespace or into one of your own",
    ),
    "XQST0046": Entry("the literal is not a valid URI"),
    "XQST0047": Entry("the same module namespace is imported twice"),
    "XQST0048": Entry("a library module may only declare names in its own namespace"),
    "XQST0049": Entry("two variables have the same name"),
    "XQST0052": Entry("there is no simple type of this name"),
    "XQST0055": Entry("the prolog declares copy-namespaces twice"),
    "XQST0057": Entry("a schema import with a prefix needs a target namespace"),
    "XQST0058": Entry("the same schema namespace is imported twice"),
    "XQST0059": Entry("the module or schema cannot be found", 'give its location: import module … at "file.xqm"'),
    "XQST0060": Entry(
        "the name of a declared function must be in a namespace",
        "put it into the local: namespace: declare function local:name(…)",
    ),
    "XQST0065": Entry("the prolog declares the ordering mode twice"),
    "XQST0066": Entry("the prolog declares a default namespace twice"),
    "XQST0067": Entry("the prolog declares the construction mode twice"),
    "XQST0068": Entry("the prolog declares boundary-space twice"),
    "XQST0069": Entry("the prolog declares the order of empty sequences twice"),
    "XQST0070": Entry("the prefixes xml and xmlns, and their namespaces, cannot be declared anew"),
    "XQST0071": Entry("an element declares the same namespace prefix twice"),
    "XQST0075": Entry("validation is not supported"),
    "XQST0076": Entry("the collation of an order by or group by clause is not known"),
    "XQST0079": Entry(
        "a pragma that is not recognised needs an expression to fall back on", "write (# … #) { expression }"
    ),
    "XQST0085": Entry("an empty namespace URI for a prefix is only allowed with Namespaces 1.1"),
    "XQST0087": Entry("the encoding in the version declaration is not a valid encoding name"),
    "XQST0088": Entry("the namespace of a module must not be empty"),
    "XQST0089": Entry("the clause declares the same variable twice"),
    "XQST0090": Entry("the character reference is not an XML character"),
    "XQST0094": Entry("the grouping variable is not bound in this FLWOR expression"),
    "XQST0097": Entry("a property of the decimal format has a value that is not allowed"),
    "XQST0098": Entry("two properties of the decimal format use the same character"),
    "XQST0099": Entry("the prolog declares the context item twice"),
    "XQST0103": Entry("the variables of a window clause must have different names"),
    "XQST0104": Entry("there is no schema type of this name to validate against"),
    "XQST0106": Entry("the annotations of a declaration contradict each other"),
    "XQST0108": Entry("a library module must not contain output declarations"),
    "XQST0109": Entry("there is no serialization parameter of this name"),
    "XQST0110": Entry("the prolog sets the same serialization parameter twice"),
    "XQST0111": Entry("the prolog declares the same decimal format twice"),
    "XQST0113": Entry("a library module must not give the context item a value"),
    "XQST0114": Entry("the decimal format sets the same property twice"),
    "XQST0115": Entry("the document does not contain valid serialization parameters"),
    "XQST0116": Entry("the annotations of a declared variable contradict each other"),
    "XQST0118": Entry("the end tag does not match the start tag"),
    "XQST0119": Entry("the document of serialization parameters cannot be found"),
    "XQST0125": Entry("an inline function must not be annotated %public or %private"),
    "XQST0134": Entry(
        "the namespace axis is not supported", "use fn:in-scope-prefixes and fn:namespace-uri-for-prefix"
    ),
    "XQTY0024": Entry(
        "an attribute node follows content that is not an attribute",
        "put attributes before all other content of the element",
    ),
    "XQTY0030": Entry("validate needs exactly one document or element node"),
    "XQTY0086": Entry("a namespace-sensitive value cannot be copied without its namespaces"),
    "XQTY0105": Entry("a function cannot be the content of an element or document"),
    # Xylem
    "XYBUG0001": Entry("an internal fault of Xylem", "please report it with the query and, if possible, the input"),
    "XYDY0001": Entry("the recursion is too deep"),
    "XYDY0002": Entry("an external function failed", "the exception it raised is the cause of this error"),
    "XYDY0003": Entry("matching the regular expression takes too long"),
    "XYDY0004": Entry("the data window cannot be formed", "sizes are positive, and reference values never decrease"),
    "XYDY0005": Entry(
        "the query buffers more than the limit allows",
        "`xylem explain` shows what it buffers and why; --buffer-limit SIZE raises the limit (limits=… in Python)",
    ),
    "XYDY0006": Entry(
        "constructed elements have more copies of nodes than the limit allows",
        "look into originals, not into copies of elements that stand in each other; --limit copied-nodes=… raises it",
    ),
    "XYDY0010": Entry(
        "an operation on an infinite sequence holds more items than the limit allows",
        "use a window, or raise the limit: --limit held-items=…, or held_items=… in Python",
    ),
    "XYDY0011": Entry(
        "an item has no event time",
        "--event-time names the path to it: a date with a time, or a number of seconds",
    ),
    "XYDY0012": Entry("an item arrived too late", "allow more delay with --watermark, or drop late items: --late drop"),
    "XYDY0013": Entry(
        "the limit of a best-match join is not valid",
        "a limit is one number that is not negative, or a duration: (abs($r/t - $s/t)) min 0.5",
    ),
    "XYDY0020": Entry(
        "a projection asks for an impossible version or time",
        "# takes a number of versions; ? takes seconds, or a duration of days, hours, minutes and seconds",
    ),
    "XYDY0021": Entry(
        "no answer is kept for so early a time",
        "ask for a later time: --as-of TIME; or keep more: --keep-time SECONDS, --keep-versions NUMBER",
    ),
    "XYIN0001": Entry("the XML is not well formed"),
    "XYIN0002": Entry("a file cannot be read or written"),
    "XYIN0003": Entry("the query may not read this file", "allow its directory: --allow DIR, or allow=[…] in Python"),
    "XYIN0004": Entry("the input exceeds a limit"),
    "XYIN0005": Entry("the Python value cannot be turned into an XQuery value"),
    "XYIN0006": Entry("the query declares no such external variable", "declare variable $name external;"),
    "XYIN0007": Entry("the encoding of the input is unknown, or the bytes do not match it"),
    "XYIN0008": Entry("the input refers to an external entity", "Xylem never fetches external entities"),
    "XYIN0009": Entry("the compressed input is damaged or ends too early"),
    "XYIN0010": Entry(
        "the scan kernel is not built here", "use --scanner python, or install the kernel: `xylem doctor`"
    ),
    "XYIN0011": Entry("this needs a package that is not installed"),
    "XYIN0012": Entry(
        "the frames of an input are wrong",
        "with ?frames=lines each line holds a document; with ?frames=length its length precedes it, in four bytes, "
        "most significant first",
    ),
    "XYIN0020": Entry("the schema cannot be used"),
    "XYIN0021": Entry(
        "the input does not conform to its schema", "correct the input or the schema, or run the query without a schema"
    ),
    "XYIN0022": Entry("XML Schemas need a package that is not installed", "pip install 'xylem-xquery[schema]'"),
    "XYIN0030": Entry(
        "there is no stream of this name",
        "bind one: -i FILE.xml, --items NAME=FILE.xml, or streams={'name': …} in Python",
    ),
    "XYIN0031": Entry(
        "the times of a replayed input cannot be read",
        "--replay-time PATH leads to a date and time, or a number of seconds, in each record: /log/entry/@time",
    ),
    "XYIN0032": Entry(
        "a file changed after it was found and before it was read",
        "rename finished files into the directory; wait until files are unchanged: --settle 5s; or only report it: "
        "--on-changed tell",
    ),
    "XYIN0040": Entry(
        "an update names a target that does not exist",
        "`of` is the id of a region or of an earlier update; --on-malformed skip ignores such updates",
    ),
    "XYIN0041": Entry(
        "an update names a region that has not ended", "replace it, or insert after it, once its end tag has arrived"
    ),
    "XYIN0042": Entry("an update names a region that was frozen", "a region named by u:freeze never changes again"),
    "XYIN0043": Entry(
        "the time of an update stream goes backwards",
        "--late clamp gives such updates the latest time, --late drop ignores them",
    ),
    "XYIN0044": Entry(
        "an update has the wrong form",
        "docs/history.md lists the elements of urn:xylem:update and their attributes",
    ),
    "XYIN0045": Entry(
        "a record of a feed has no key",
        "--key PATH names what identifies a record; --on-malformed skip ignores records without one",
    ),
    "XYIN0046": Entry(
        "a patch does not select an element by its key",
        "write sel as id('k') or …/item[@id='k'], with the attribute that --key names",
    ),
    "XYIN0047": Entry(
        "a line is not a change event of Debezium",
        "each line must be a JSON object with op, before, after and ts_ms",
    ),
    "XYIN0048": Entry(
        "an update stream has more regions than are allowed",
        "freeze regions that never change again (u:freeze), reuse ids, or allow more: --limit regions=NUMBER",
    ),
    "XYIN0049": Entry(
        "the history of an update stream exceeds its limit",
        "look back less far, keep less (--keep-versions, --keep-time), or allow more: --limit history-bytes=NUMBER",
    ),
    "XYRT0001": Entry("Spark is not installed here", "pip install 'xylem-xquery[spark]'"),
    "XYRT0002": Entry(
        "Spark needs Java, and found no suitable version",
        "install a JDK, version 17 or later, or set JAVA_HOME to an installed one",
    ),
    "XYRT0003": Entry("Spark could not be started", "read the messages that Java or Spark printed"),
    "XYRT0004": Entry("a Spark task failed and could not be repeated"),
    "XYRT0005": Entry(
        "the input cannot be read on Spark",
        "name files, directories or patterns that the driver and all executors see under the same path",
    ),
    "XYRT0006": Entry(
        "an item does not fit the columns of the query", "choose other columns with schema=…, or cast in the query"
    ),
    "XYRT0007": Entry("an option of the format is not valid", "docs/spark.md lists the options"),
    "XYRT0010": Entry(
        "a value cannot be sent to another task",
        "return the result of a function, not the function itself; make the states of aggregates plain values, or "
        "objects of classes that the same file defines",
    ),
    "XYRT0011": Entry(
        "the query cannot be distributed over this input: items are nested, and the query compares their identity",
        "query each document of a stream by itself, without collection(); or query the files: xylem run -i DIR",
    ),
    "XYRT0012": Entry(
        "the data that every task needs is larger than the limit allows",
        "compare with `=`, so that tasks get only what may match; or set --conf spark.xylem.gatheredLimit=4g",
    ),
    "XYRT0020": Entry(
        "the checkpoint belongs to another query",
        "use another checkpoint for the changed query, or delete the old one to start again with the remaining input",
    ),
    "XYRT0021": Entry(
        "the query cannot be applied to all documents of a stream",
        "query each document by itself (a path from the root instead of collection()), or run it over files: xylem run",
    ),
    "XYRT0022": Entry("the stream cannot be read again from where the query must continue"),
    "XYRT0023": Entry(
        "the query keeps more state than the limit allows",
        "aggregates keep little, whole items and sorting keep everything; --state-limit raises the limit",
    ),
    "XYRT0024": Entry(
        "the checkpoint is in use by another process",
        "use another checkpoint, or stop that process: one query uses a checkpoint at a time",
    ),
    "XYRT0025": Entry(
        "Kafka needs packages that are not installed",
        "the output: pip install 'xylem-xquery[kafka]'; the input: --conf spark.jars.packages=…, see docs/spark.md",
    ),
    "XYRT0026": Entry("the continuous query failed", "start it again with the same checkpoint to continue from there"),
    "XYRT0027": Entry(
        "the streams cannot be joined",
        'for $a in stream("a")/…, $b in stream("b")/… where $a/key = $b/key return …',
    ),
    "XYRT0028": Entry(
        "the state of an open window cannot be saved",
        "make the states of a Python aggregate plain values (numbers, texts, tuples, lists), or objects of classes "
        "that the same file defines",
    ),
    "XYRT0030": Entry("the checkpoint does not match the input or the output any more", "delete it to start again"),
    "XYRT0031": Entry(
        "the output holds results of another run, but the checkpoint is new",
        "use another directory, continue with the checkpoint of that run, or delete the results to start again",
    ),
    "XYRT0032": Entry(
        "the query would read what it writes",
        "use another directory for the results, or an input pattern that does not match them: dir:PATH/*.in.xml",
    ),
    "XYRT0033": Entry(
        "a file of the checkpoint is damaged",
        "restore a copy of the whole checkpoint, or delete it to start again with the remaining input",
    ),
    "XYRT0040": Entry("the run exceeds its time limit", "--time-limit SECONDS raises it"),
    "XYRT0041": Entry(
        "the run exceeds its memory limit",
        "--memory-limit SIZE raises it; `xylem explain` shows what the query keeps of its input",
    ),
    "XYRT0042": Entry(
        "there is not enough memory",
        "`xylem explain` shows what the query keeps of its input; --buffer-limit and --memory-limit stop it earlier",
    ),
    "XYRT0050": Entry(
        "no site is running",
        "start one: xylem network start; --site names its directory",
    ),
    "XYRT0051": Entry(
        "this query cannot be a subscription",
        "a subscription must run in one pass and keep only items, windows and aggregates",
    ),
    "XYRT0052": Entry(
        "the records cannot be added to the stream",
        "all records of a stream have the same parent elements; publish these under another name",
    ),
    "XYRT0053": Entry(
        "the site cannot carry out the request",
        "`xylem sources` lists the streams, `xylem subscriptions` the subscriptions",
    ),
    "XYRT0054": Entry("another process runs this site", "stop it first: xylem network stop"),
    "XYRT0055": Entry("the site refused the request"),
    "XYRT0056": Entry(
        "the description of the network is not valid",
        "`xylem network plan --help` describes the format; examples/network/thesis.json is an example",
    ),
    "XYRT0057": Entry(
        "no peer and no link has room for the subscription",
        "select less of the stream, or give links more bandwidth and peers more capacity",
    ),
    "XYRT0058": Entry(
        "the subscription is suspended",
        "read its answer, then repeat `xylem subscribe`: it continues without a gap; --unread-bytes sets the limit",
    ),
    "XYRT0059": Entry(
        "the token does not allow this",
        "ask the owner of the site for another one: xylem network token NAME --subscribe STREAM",
    ),
    "XYRT0060": Entry(
        "the log of the stream no longer has the records",
        "subscribe again, --from earliest or --from now; `xylem network start --log-bytes … --log-days …` keeps more",
    ),
    "XYRT0061": Entry(
        "another peer speaks for the network now",
        "repeat the command: it asks the new speaker",
    ),
    "XYRT0062": Entry(
        "the stream may not go to this site",
        "its publisher lists the sites that may have it, and what is made from it: xylem publish NAME --sites …",
    ),
    "XYRT0063": Entry(
        "the broker that keeps the stream does not answer",
        "start it again: the site continues where it was; `xylem network start --log` has its address",
    ),
    "XYRT0064": Entry(
        "the code is not signed by anybody whom the site trusts",
        "sign it: ssh-keygen -Y sign -n xylem-operator; the owner lists public keys in the site's file allowed-signers",
    ),
    "XYRT0065": Entry(
        "the database that keeps the catalogue does not answer",
        "start it again: the site continues where it was; `xylem network start --catalogue` has its address",
    ),
    "XYRT0066": Entry(
        "the subscription ended with an error",
        "correct the query and subscribe again, under the same name if you like; other subscriptions continue",
    ),
    "XYST0001": Entry("no external function of this name is registered", "register it: @xylem.function(…)"),
    "XYST0002": Entry("this extension can be parsed but not run yet"),
    "XYST0003": Entry(
        "the expression is nested too deeply",
        "bind inner parts with `let`, move them to functions, or pass long lists of values as data",
    ),
    "XYST0004": Entry(
        "the query cannot stream",
        "load the document as a tree: leave out --stream, or use Query.run in Python",
    ),
    "XYST0005": Entry(
        "malformed records cannot be skipped for this query",
        "use --on-malformed stop, or select records by a path: for $r in /path/to/record return …",
    ),
    "XYST0006": Entry(
        "a run of this query cannot continue after an interruption",
        "leave out --checkpoint, or write a query that answers record by record",
    ),
    "XYST0010": Entry("a blocking operation is applied to an infinite sequence"),
    "XYST0011": Entry("only variables that the prolog declares can be set", "declare variable $x := …;"),
    "XYST0012": Entry(
        "the query needs to buffer more of its input than the limit allows",
        "if more passes help, give the input as a file or use --spill DIR; otherwise raise --buffer-limit SIZE",
    ),
    "XYST0014": Entry(
        "event time cannot be used",
        "--event-time @time --watermark 10s --late drop, or the options xylem:event-time, xylem:watermark, xylem:late",
    ),
    "XYST0015": Entry(
        "the best-match join has the wrong form",
        "for $r in … for $s in … where $r left outer bestmatch join $s on (abs($r/t - $s/t)) min 0.5 return …",
    ),
    "XYST0016": Entry(
        "results that are not XML cannot be routed by name",
        "leave out --route, or write the answer as XML in UTF-8",
    ),
    "XYST0020": Entry(
        "the functions of a Python file cannot be registered",
        "the file must register functions with @xylem.function or @xylem.aggregate when it runs",
    ),
    "XYST0030": Entry(
        "a projection into history must say how far back it looks",
        "write a number, a duration such as xs:dayTimeDuration('PT1M'), or an external variable",
    ),
    "XYST0031": Entry(
        "a changing answer cannot be appended to a file",
        "write its changes: --changes upsert, retract or debezium; over a finite input, `xylem run` appends at its end",
    ),
    "XYST0032": Entry(
        "the query needs more history than is kept",
        "keep more: --keep-versions NUMBER, --keep-time SECONDS; or leave both out: Xylem then keeps what is needed",
    ),
    "XYST0040": Entry(
        "the code that the query brings cannot be run",
        '`xylem network code FILE.wasm "udf:name(xs:double) as xs:double"` checks it and prints the declaration',
    ),
}
