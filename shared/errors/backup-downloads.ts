import type { Refusals } from './refusals.ts'

export const backupDownloadsErrors = {
  backup_downloads_busy: {
    status: 409,
    error: 'Other downloads of backups are under way',
    onScreen: 'Other downloads from backups are running. Wait until one is done.',
  },
  backup_download_gone: {
    status: 404,
    error: 'Download not found or expired',
    onScreen: 'This download has expired. Start it again.',
  },
  backup_not_downloadable: {
    status: 409,
    error: 'Only files and folders can be downloaded',
    onScreen: '“{name}” is a link or a special file. Only files and folders can be downloaded.',
  },
  backup_name_not_downloadable: {
    status: 409,
    error: 'A name that is not valid UTF-8 can only be downloaded with its folder',
    onScreen: 'The name of “{name}” isn’t valid text. Download the folder that it is in.',
  },
  backup_selection_too_large: {
    status: 409,
    error: 'Too many files are selected for one download',
    onScreen: 'Up to {max} files can be downloaded together. Download the folders one by one.',
  },
} as const satisfies Refusals
