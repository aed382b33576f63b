/** What names of files end in. */

/** With the dot, in small letters; empty for a name without one. */
export function endingOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot).toLowerCase() : ''
}

/** The name without its ending. */
export function stemOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(0, dot) : name
}

/** What people make and keep. Programs and their builds change files of other kinds. */
const documents = new Set(
  [
    'doc docx docm odt rtf pages xls xlsx xlsm ods numbers csv ppt pptx odp key pdf',
    'jpg jpeg png gif tif tiff bmp heic raw cr2 nef psd ai indd svg dwg dxf vsd vsdx',
    'mp3 m4a wav flac mp4 mov avi mkv zip 7z rar pst ost eml msg mdb accdb sqlite sql bak',
  ].flatMap((list) => list.split(' ').map((ending) => `.${ending}`)),
)

export const isDocument = (ending: string): boolean => documents.has(ending)
