import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { pathId, uuid } from '../fields.ts'

/** The list of the files in a snapshot, which the appliance can read from the storage where the device did not send it. */

const params = z.object({ id: pathId })
const query = z.object({ orgId: uuid.optional() })

export const fileListing = z.object({
  /**
   * `known`: the files can be shown. `waiting` and `running`: the appliance reads them from the storage. `failed`: it could
   * not. `unknown`: nobody has asked for that yet.
   */
  state: z.enum(['known', 'waiting', 'running', 'failed', 'unknown']),
  /** Why it failed. */
  error: z.string().nullable(),
})
export type FileListing = z.infer<typeof fileListing>

export const readFileListing = endpoint({
  name: 'backup-file-listings.read',
  method: 'GET',
  path: '/backup/snapshots/:id/file-listing',
  summary: 'Whether the files of a snapshot are known',
  access: userAccess('backup:read'),
  params,
  query,
  reply: z.object({ data: fileListing }),
})

export const listFilesOfSnapshot = endpoint({
  name: 'backup-file-listings.start',
  method: 'POST',
  path: '/backup/snapshots/:id/list-files',
  summary: 'Read from the storage which files a snapshot has, where that is not known',
  access: userAccess('backup:read'),
  params,
  query,
  status: 202,
  reply: z.object({ data: fileListing }),
  audit: 'backup.snapshot.list_files',
})
