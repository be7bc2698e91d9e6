# Where the switch lives: a private folder in memory, never on a disk that outlives the pod.

memory_places='/dev/shm /run /tmp'

# in_memory PLACE: is PLACE itself a mounted, writable tmpfs? If not, `why_not` says what it is.
in_memory() {
  why_not=not-mounted mount_options=''
  mount_table=$root/proc/mounts
  [ -r "$mount_table" ] || mount_table=/proc/mounts
  # The last line for a place is the mount that is on top.
  while read -r mount_source mount_place mount_kind mount_options mount_rest; do
    [ "$mount_place" = "$1" ] || continue
    case $mount_kind in tmpfs | ramfs) why_not='' ;; *) why_not=not-memory ;; esac
    case ",$mount_options," in *,ro,*) why_not=read-only ;; esac
  done <"$mount_table"
  [ -z "$why_not" ]
}

# own FOLDER: is it a real folder of this user? /dev/shm is open to all, so a folder or link there may be a stranger's.
# shellcheck disable=SC3067 # dash, bash, mksh and BusyBox all know -O
own() { [ -d "$1" ] && [ ! -h "$1" ] && [ -O "$1" ]; }

# find_ram: leaves the folder of the switch that is installed in `ram`; fails when there is none of this user.
find_ram() {
  ram=''
  for place in $memory_places; do
    [ -f "$root$place/podtrack/mark" ] || continue
    own "$root$place/podtrack" || continue
    ram=$root$place/podtrack
    return 0
  done
  return 1
}

# open_ram PLACE: makes the private folder in PLACE and leaves it in `ram`; if not, `ram` is empty and `why_not` says why.
open_ram() {
  ram=''
  in_memory "$1" || return 1
  why_not=not-writable
  mkdir "$root$1/podtrack" 2>/dev/null || [ -d "$root$1/podtrack" ] || return 1
  why_not=not-ours
  own "$root$1/podtrack" || return 1
  chmod 700 "$root$1/podtrack" 2>/dev/null || return 1
  ram=$root$1/podtrack why_not=''
}

# write FILE TEXT: writes TEXT and reads it back, because a full tmpfs takes what it can and says nothing.
write() {
  { raw "$2" >"$1"; } 2>/dev/null && [ "$(cat "$1" 2>/dev/null)" = "$2" ]
}

# replace FILE LINE: a reader sees the old line or the new one and never a part. When the tmpfs is full, the file is written over
# in place, which takes no room; if it was not there before, what we keep in reserve makes room for it.
replace() {
  renew "$1" "$2" && return 0
  if [ -f "$1" ] && { raw "$2" 1<>"$1"; } 2>/dev/null; then return 0; fi
  while make_room; do
    renew "$1" "$2" && return 0
  done
  return 1
}

# make_room: gives up one of the files in reserve: the first has the size of a page or more, the others keep an inode each.
make_room() {
  for spare in "$ram/reserve" "$ram"/spare.[0-9]; do
    [ -f "$spare" ] && rm -f "$spare" && return 0
  done
  return 1
}

# remember NAME: an empty file says that it is so. Not by `:`, a special builtin: most shells end where it cannot open its file,
# as on a tmpfs that has room but no inode left.
remember() {
  { true >"$ram/$1"; } 2>/dev/null && return 0
  while make_room; do
    { true >"$ram/$1"; } 2>/dev/null && return 0
  done
  return 1
}

renew() {
  if write "$1.$$" "$2" && mv -f "$1.$$" "$1" 2>/dev/null; then return 0; fi
  rm -f "$1.$$"
  return 1
}

# shred_files FILE...: overwrites each file in place and removes it.
shred_files() {
  for shredded in "$@"; do
    [ -f "$shredded" ] || continue
    dd if=/dev/zero of="$shredded" bs=1024 count=1 conv=notrunc 2>/dev/null
    rm -f "$shredded"
  done
}
