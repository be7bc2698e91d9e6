# One request to the provider. The key goes to the HTTP tool through a pipe or a file in memory (0600): never as an argument,
# in the environment, in a URL or into the record. BusyBox's wget takes headers only as arguments, so it is not used.

agent=podtrack-switch/1

# find_tool: the HTTP tool of this image in `tool`: curl, wget (GNU), runpodctl (which brings its own key), or none.
find_tool() {
  if curl --version >/dev/null 2>&1; then
    tool=curl
  else
    case $(wget --version 2>/dev/null) in
      'GNU Wget'*) tool=wget ;;
      *) if command -v runpodctl >/dev/null 2>&1; then tool=runpodctl; else tool=none; fi ;;
    esac
  fi
}

# http METHOD URL KEY [JSON]: leaves status (`code`, empty = no answer), content type (`media`), body without blanks (`flat`),
# and `word`, one word for all of it. Redirects are not followed: they would carry the key elsewhere.
http() {
  code='' media='' flat='' word=no-answer
  case $tool in
    curl) answer=$(ask_by_curl "$@" | bounded) ;;
    wget) answer=$(ask_by_wget "$@" | bounded) ;;
    *) word=no-tool && return 0 ;;
  esac
  split_answer
  name_answer
}

bounded() { head -c 65536 | tr -d '\000\r'; }

ask_by_curl() {
  method=$1 url=$2 key=$3
  shift 3
  [ "$#" -eq 0 ] || set -- -H 'Content-Type: application/json' -d "$1"
  raw "header = \"Authorization: Bearer $key\"" |
    curl -q -sS -i -m 20 --connect-timeout 10 -A "$agent" -H 'Accept: application/json' -X "$method" "$@" -K - "$url" 2>/dev/null
  raw "${newline}exit $?"
}

ask_by_wget() {
  method=$1 url=$2 key=$3
  shift 3
  [ "$#" -eq 0 ] || set -- '--header=Content-Type: application/json' "--body-data=$1"
  # The planted key has its file since the install: at the deadline there may be no room for a new one.
  wgetrc=$ram/wgetrc wgetrc_line=''
  { read -r wgetrc_line <"$wgetrc"; } 2>/dev/null
  if [ "$wgetrc_line" != "header = Authorization: Bearer $key" ]; then
    wgetrc=$ram/wgetrc.$$
    write "$wgetrc" "header = Authorization: Bearer $key" || { rm -f "$wgetrc"; return 0; }
  fi
  wget "--config=$wgetrc" -q --save-headers --content-on-error --tries=1 --timeout=20 --max-redirect=0 \
    "--user-agent=$agent" --header='Accept: application/json' "--method=$method" "$@" -O - "$url" 2>/dev/null
  wget_exit=$?
  [ "$wgetrc" = "$ram/wgetrc" ] || shred_files "$wgetrc"
  raw "${newline}exit $wget_exit"
}

# split_answer: `answer` is header lines, an empty line, the body, and the tool's own exit code in the last line.
split_answer() {
  tool_exit=''
  case $answer in
    *"${newline}exit "*)
      tool_exit=${answer##*"${newline}exit "}
      answer=${answer%"${newline}exit "*}
      ;;
  esac
  head='' body=''
  while :; do
    case $answer in HTTP/*) ;; *) break ;; esac
    head=${answer%%"$newline$newline"*}
    case $answer in *"$newline$newline"*) body=${answer#*"$newline$newline"} ;; *) body='' ;; esac
    status_line=${head%%"$newline"*}
    code=${status_line#* }
    code=${code%% *}
    # An interim answer, or that of a proxy, stands before the real one.
    case $status_line in *' 1'[0-9][0-9]* | *onnection\ established*) code='' answer=$body ;; *) break ;; esac
  done
  # wget saves no headers when there is no body.
  if [ "$tool" = wget ] && [ -z "$code" ] && [ "$tool_exit" = 0 ]; then code=204; fi
  while [ -n "$head" ]; do
    case ${head%%"$newline"*} in [Cc]ontent-[Tt]ype:*) media=${head%%"$newline"*} media=${media#*:} ;; esac
    case $head in *"$newline"*) head=${head#*"$newline"} ;; *) head='' ;; esac
  done
  [ -z "$body" ] || flat=$(raw "$body" | tr -d ' \t\n')
}

# name_answer: `word`. `absent` is a 404 that speaks of the pod; any other 404 speaks of the path, or of nothing.
name_answer() {
  case $code in
    2[0-9][0-9]) case $media in *html*) word=html ;; *) word=ok ;; esac ;;
    404) if says_absent; then word=absent; else word=404-unclear; fi ;;
    [1-5][0-9][0-9]) word=$code ;;
    *) word_of_exit ;;
  esac
}

says_absent() {
  case $media in *application/problem+json*) ;; *) return 1 ;; esac
  case $flat in *Therequestedpathwasnotfound*) return 1 ;; esac
  case $flat in '{'*'"status":404'[,}]*'}' | '{'*'"status":404}') ;; *) return 1 ;; esac
}

word_of_exit() {
  case $tool-$tool_exit in
    curl-6) word=no-such-host ;;
    curl-7 | wget-4) word=no-connection ;;
    curl-28) word=timed-out ;;
    curl-35 | curl-5[189] | curl-60 | curl-66 | curl-77 | curl-83 | wget-5) word=tls-failed ;;
    *) word=no-answer-$tool_exit ;;
  esac
}

# graphql KEY JSON: like http; `word` is ok only for a JSON answer without errors.
graphql() {
  http POST "$graphql" "$1" "$2"
  [ "$code" = 200 ] || return 0
  case $media in *json*) ;; *) word=not-json && return 0 ;; esac
  case $flat in
    *'"errors"'*[Uu]nauthorized*) word=unauthorized ;;
    *'"errors"'*POD_NOT_FOUND* | *'"errors"'*notfound*) word=not-found ;;
    *'"errors"'*) word=errors ;;
    '{"data":{'*'}}') word=ok ;;
    *) word=odd ;;
  esac
}

# The two GraphQL requests, for the pod PODID; the id was checked at install.
end_request() { raw "{\"query\":\"mutation { podTerminate(input: {podId: \\\"$1\\\"}) }\"}"; }
read_request() { raw "{\"query\":\"query { pod(input: {podId: \\\"$1\\\"}) { id desiredStatus } }\"}"; }

# injected_key: the key that the provider put into the container, in `key`; a login session does not get it by itself.
injected_key() {
  key=$({ tr '\000' '\n' <"$root/proc/1/environ"; } 2>/dev/null | sed -n 's/^RUNPOD_API_KEY=//p' | head -n 1)
  if ! usable_key "$key"; then
    key=$(sed -n 's/^export RUNPOD_API_KEY="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$root/etc/rp_environment" 2>/dev/null | head -n 1)
  fi
  usable_key "$key" || { key='' && return 1; }
}

# usable_key KEY: only characters that mean nothing to a configuration file or a header.
usable_key() {
  case $1 in '' | *[!A-Za-z0-9._~+/=-]*) return 1 ;; esac
  [ "${#1}" -ge 4 ] && [ "${#1}" -le 512 ]
}
