import { mostDownloadPaths } from '../../../shared/api/backup-downloads.ts'
import type { BackedUpEntry } from '../../../shared/api/backup-snapshots.ts'
import { plural } from '../../lib/format.ts'
import { parentOf, top } from './paths.ts'

/** What is to be brought back: files, and folders with all that is in them, by path. None is in another one. */
export type ChosenEntries = ReadonlyMap<string, BackedUpEntry['type']>

type Choosable = Pick<BackedUpEntry, 'path' | 'type'>

export const nothingChosen: ChosenEntries = new Map()

/** The chosen folder that a path is in. */
export function folderChosenAbove(chosen: ChosenEntries, path: string): string | undefined {
  if (chosen.size === 0) return undefined
  for (let at = path; at !== top; ) {
    at = parentOf(at)
    if (chosen.has(at)) return at
  }
  return undefined
}

export const isChosen = (chosen: ChosenEntries, path: string): boolean =>
  chosen.has(path) || folderChosenAbove(chosen, path) !== undefined

/** With these too; what is in one of them is not listed any longer. */
export function withChosen(chosen: ChosenEntries, entries: readonly Choosable[]): ChosenEntries {
  const all = new Map([...chosen, ...entries.map(({ path, type }) => [path, type] as const)])
  return new Map([...all].filter(([path]) => folderChosenAbove(all, path) === undefined))
}

export function withoutChosen(chosen: ChosenEntries, paths: readonly string[]): ChosenEntries {
  const left = new Map(chosen)
  for (const path of paths) left.delete(path)
  return left
}

/** For a restore, where no path stands for everything. */
export const pathsToRestore = (chosen: ChosenEntries): string[] => (chosen.has(top) ? [] : [...chosen.keys()])

/** Null for what can be downloaded together. */
export function whyNotDownloadable(chosen: ChosenEntries): string | null {
  if (chosen.size > mostDownloadPaths)
    return `Up to ${mostDownloadPaths} files and folders can be downloaded together. Select the folder that they are in.`
  const hasOthers = [...chosen.values()].some((type) => type !== 'file' && type !== 'folder')
  return hasOthers ? 'Links and special files can’t be downloaded.' : null
}

/** “3 files and 1 folder”. */
export function chosenWords(chosen: ChosenEntries): string {
  if (chosen.has(top)) return 'Everything'
  const folders = [...chosen.values()].filter((type) => type === 'folder').length
  const files = chosen.size - folders
  return [files > 0 && plural(files, 'file'), folders > 0 && plural(folders, 'folder')].filter(Boolean).join(' and ')
}
