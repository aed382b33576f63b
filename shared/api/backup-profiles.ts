import { z } from 'zod'
import { profileSelections } from '../backup-plan.ts'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, jsonObject, name255, pathId, small, textOfLines, uuid } from '../fields.ts'

/** What backups of a kind of device protect; policies refer to it. */
export const backupProfile = z.object({
  id: z.uuid(),
  orgId: z.uuid().nullable(),
  partnerId: z.uuid().nullable(),
  ownerScope: z.enum(['organization', 'partner']),
  name: z.string(),
  description: z.string().nullable(),
  selections: jsonObject,
  /** Whether it is offered for new policies; those that have it go on. */
  isActive: z.boolean(),
  createdAt: instant,
  updatedAt: instant,
})
export type BackupProfile = z.infer<typeof backupProfile>

const ofOrganization = z.object({ orgId: uuid.optional() })
const params = z.object({ id: pathId })
const read = userAccess('backup:read')
const write = userAccess('backup:write', { mfa: 'session' })
const selections = small(profileSelections)

export const listBackupProfiles = endpoint({
  name: 'backup-profiles.list',
  method: 'GET',
  path: '/backup/profiles',
  summary: 'Backup profiles of an organization and of its company, by name',
  access: read,
  query: ofOrganization,
  reply: z.object({ data: z.array(backupProfile) }),
})

export const createBackupProfile = endpoint({
  name: 'backup-profiles.create',
  method: 'POST',
  path: '/backup/profiles',
  summary: 'Create a backup profile',
  access: write,
  query: ofOrganization,
  body: z.object({
    name: name255,
    description: textOfLines(2000).nullable().optional(),
    ownerScope: z.enum(['organization', 'partner']).optional(),
    orgId: uuid.optional(),
    selections,
    isActive: z.boolean().default(true),
  }),
  status: 201,
  reply: backupProfile,
  audit: 'backup.profile.create',
})

export const readBackupProfile = endpoint({
  name: 'backup-profiles.read',
  method: 'GET',
  path: '/backup/profiles/:id',
  summary: 'One backup profile',
  access: read,
  params,
  reply: backupProfile,
})

export const updateBackupProfile = endpoint({
  name: 'backup-profiles.update',
  method: 'PATCH',
  path: '/backup/profiles/:id',
  summary: 'Change a backup profile; `selections` are replaced as a whole',
  access: write,
  params,
  body: z.object({
    name: name255.optional(),
    description: textOfLines(2000).nullable().optional(),
    selections: selections.optional(),
    isActive: z.boolean().optional(),
  }),
  reply: backupProfile,
  audit: 'backup.profile.update',
})

export const deleteBackupProfile = endpoint({
  name: 'backup-profiles.delete',
  method: 'DELETE',
  path: '/backup/profiles/:id',
  summary: 'Delete a backup profile that no policy refers to',
  access: write,
  params,
  reply: z.object({ deleted: z.literal(true) }),
  audit: 'backup.profile.delete',
})
