(: Thesis on StreamGlobe, FluX and best-match joins, example 3.6.3, query Q.
   Corrected: `else ()`, which the fragment XQuery- leaves out. :)
<result>
{ for $bib in $ROOT/bib return
  ( if (fn:not(fn:exists($bib/book/subtitle))) then
      <remark> books don't have subtitles </remark>
    else (),
    for $book in $bib/book return
      if ($book/author = "Hull" and $book/editor = "Vianu") then
        $book
      else () ) }
</result>
