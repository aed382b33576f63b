/** What a backup may name in place of paths: the agent knows where it lies on its system. */
export const userFolders = '{userFolders}'
export const wholeSystem = '{system}'

/** What agents leave out unless a policy says what to leave out: nobody wants it back, and it changes all the time. */
export const usuallyLeftOut: readonly string[] = [
  '.cache',
  'Library/Caches',
  'AppData/Local/Temp',
  'INetCache',
  '.Trash',
  '.Trashes',
  '.local/share/Trash',
  '$RECYCLE.BIN',
  'System Volume Information',
  'Thumbs.db',
  '.DS_Store',
  'pagefile.sys',
  'hiberfil.sys',
  'swapfile.sys',
]
