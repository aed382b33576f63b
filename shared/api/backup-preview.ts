import { z } from 'zod'
import { previewSelection } from '../backup-plan.ts'
import { backupPreview } from '../device/backup-preview.ts'
import { endpoint, userAccess } from '../endpoint.ts'
import { uuid } from '../fields.ts'

export const previewBackup = endpoint({
  name: 'backup-preview.run',
  method: 'POST',
  path: '/backup/preview',
  summary: 'What a backup of a device would read: the device looks, for 20 seconds at most, and reads nothing',
  access: userAccess('devices:execute', { mfa: 'strict' }),
  body: z.object({ deviceId: uuid, selection: previewSelection }),
  reply: z.object({ data: backupPreview }),
  audit: 'backup.preview.run',
})
