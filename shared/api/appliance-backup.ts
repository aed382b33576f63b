import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant } from '../fields.ts'
import { factorProof } from './mfa.ts'

/** Backups of the appliance itself; for its administrator. */

/** Of unknown folders so many are named. */
export const mostUnknownFolders = 20

export const readBackup = endpoint({
  name: 'system.backup',
  method: 'GET',
  path: '/system/backup',
  summary: 'When the appliance was last backed up, and which backups of devices it has but does not know',
  access: userAccess(undefined, { platformAdmin: true }),
  reply: z.object({
    /** By the command line, or downloaded in full. */
    last: z.object({ at: instant, by: z.enum(['command', 'download']), bytes: z.int() }).nullable(),
    /** The keys in a backup are wrapped by the keychain of the desktop that the appliance runs on. */
    opensHereOnly: z.boolean(),
    /** Folders of the backup store that may be newer than a backup of the appliance that was restored; as of the last hour. */
    unknownInStore: z.object({ total: z.int(), folders: z.array(z.string()) }),
  }),
})

export const downloadBackup = endpoint({
  name: 'system.download-backup',
  method: 'POST',
  path: '/system/backup',
  summary: 'Back the appliance up now and download the file, which holds all of its secrets',
  access: userAccess(undefined, { platformAdmin: true, mfa: 'strict' }),
  /** The file gives access to every account, so a session that is not fresh needs the password. */
  body: z.object({ currentPassword: factorProof.currentPassword }).optional(),
  /** The file. */
  reply: z.unknown(),
  content: 'application/gzip',
  audit: 'platform_admin.backup.download',
})
