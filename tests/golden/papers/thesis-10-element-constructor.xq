(: Thesis on StreamGlobe, FluX and best-match joins, section 3.4.1. :)
<result> {/bib/book} </result>
