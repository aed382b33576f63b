import { IconFile, IconFileUnknown, IconFolderFilled, IconLink } from '@tabler/icons-react'
import type { BackedUpEntry } from '../../../shared/api/backup-snapshots.ts'
import classes from './entry-icon.module.css'

const icons = { folder: IconFolderFilled, file: IconFile, symlink: IconLink, other: IconFileUnknown }
const names = { folder: 'Folder', file: 'File', symlink: 'Link', other: 'Special file' }

/** What an entry of a snapshot is, in a picture and, for screen readers, in a word. */
export function EntryIcon({ type }: { type: BackedUpEntry['type'] }) {
  const Icon = icons[type]
  return (
    <>
      <Icon size={18} stroke={1.6} aria-hidden className={classes.icon} data-type={type} />
      <span className="visually-hidden">{names[type]} </span>
    </>
  )
}
