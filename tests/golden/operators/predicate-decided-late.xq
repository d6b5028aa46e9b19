//section[.//figure]/title
