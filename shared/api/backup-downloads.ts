import { z } from 'zod'
import { endpoint, publicAccess, userAccess } from '../endpoint.ts'
import { pathId, uuid } from '../fields.ts'

/** How long a download waits for its browser. */
export const downloadWaitSeconds = 60
/** restic reads each of them by itself. */
export const mostDownloadPaths = 100
/** In a selection of several, with all that is in its folders. */
export const mostDownloadEntries = 50_000

export const startBackupDownload = endpoint({
  name: 'backup-downloads.start',
  method: 'POST',
  path: '/backup/snapshots/:id/downloads',
  summary: 'Begin to read a file of a snapshot, or a folder or several of both as a ZIP archive; `/` is all of it',
  access: userAccess('backup:read', { and: 'devices:execute', mfa: 'strict' }),
  params: z.object({ id: pathId }),
  query: z.object({ orgId: uuid.optional() }),
  body: z.object({
    paths: z
      .array(
        z
          .string()
          .min(1)
          .max(32_768)
          .regex(/^[^\0]*$/, 'Must not contain NUL'),
      )
      .min(1)
      .max(mostDownloadPaths),
  }),
  status: 201,
  reply: z.object({
    /** Waits for a minute, and is for the browser that has got the cookie with this answer. */
    id: z.uuid(),
    fileName: z.string(),
    /** Null for an archive: it is made on the way. */
    bytes: z.int().nullable(),
  }),
  audit: 'backup.snapshot.download',
})

export const fetchBackupDownload = endpoint({
  name: 'backup-downloads.fetch',
  method: 'GET',
  path: '/backup/downloads/:downloadId',
  summary: 'The file, once; the connection breaks where it cannot be read to its end',
  access: publicAccess,
  params: z.object({ downloadId: pathId }),
  /** The file. */
  reply: z.unknown(),
  content: 'application/octet-stream',
})
