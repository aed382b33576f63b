import type { Entry } from '../snapshot-index/index.ts'

const plain = (name: string): string => name.replace(/[\p{Cc}/\\:]/gu, '_')

/** Of an archive with what was selected in a snapshot. */
export const archiveNameOf = (snapshot: string): string => `${plain(snapshot)}.zip`

/** What the browser calls the file. `snapshot`: what all of a snapshot is called. */
export const fileNameOf = ({ name, type }: Pick<Entry, 'name' | 'type'>, snapshot: string): string =>
  type === 'folder' ? archiveNameOf(name || snapshot) : plain(name || snapshot)
