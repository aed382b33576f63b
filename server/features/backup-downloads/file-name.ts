import type { Entry } from '../snapshot-index/index.ts'

/** What the browser calls the file. `whole`: what all of a snapshot is called. */
export function fileNameOf({ name, type }: Pick<Entry, 'name' | 'type'>, whole: string): string {
  const plain = (name || whole).replace(/[\p{Cc}/\\:]/gu, '_')
  return type === 'folder' ? `${plain}.zip` : plain
}
