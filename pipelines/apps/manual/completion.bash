# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion of the command lines of gst-plugins-cl's programs: the options that --help lists, devices, formats, elements, files.
_gst_plugins_cl ()
{
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=
  # bash takes "--device=gpu" for three words
  if [[ $current == = ]]; then
    current=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  case ${1##*/}:$before in
    *:--device | cl-info:-d | cl-tune:-d) words="cpu gpu accelerator" ;;
    cl-tune:--format | cl-tune:-f) words="GRAY8 GRAY16_LE RGBA RGB I420 NV12 YUY2 I420_10LE P010_10LE" ;;
    cl-tune:--size | cl-tune:-s) words="1280x720 1920x1080 3840x2160" ;;
    cl-batch:--engine) words="local parallel slurm snakemake" ;;
    cl-studio:--do) words=$("$1" --do help 2>/dev/null | sed -n 's/^ *\([a-z-]*=\{0,1\}\).*/\1/p') ;;
    *)
      if [[ $current == -* ]]; then
        local verb=
        [[ ${1##*/} != cl-batch || $COMP_CWORD -eq 1 ]] || verb=${COMP_WORDS[1]}
        words=$("$1" $verb --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*=?')
      elif [[ ${1##*/} == cl-batch && $COMP_CWORD -eq 1 ]]; then
        words="plan run join submit status"
      elif [[ ${1##*/} == cl-tune ]]; then
        words=$(gst-inspect-1.0 cl 2>/dev/null | sed -n 's/^  \(cl[a-z0-9]*\):.*/\1/p')
      else
        compopt -o default 2>/dev/null # file names
        return
      fi
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ ${COMPREPLY-} != *= ]] || compopt -o nospace 2>/dev/null
}
complete -F _gst_plugins_cl cl-info cl-tune cl-demo cl-compare cl-histogram cl-studio cl-batch

# The verbs of ./run, for those who work in the source tree: source pipelines/apps/manual/completion.bash
_gst_plugins_cl_run ()
{
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$1" help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')" -- "$2")
  else
    compopt -o default 2>/dev/null # file names
  fi
}
complete -F _gst_plugins_cl_run ./run
