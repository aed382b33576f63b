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
    onScreen: 'This is a link or a special file. Only files and folders can be downloaded.',
  },
} as const satisfies Refusals
