import { z } from 'zod'
import { componentName, componentPlatform, componentVersion } from '../components.ts'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, ok } from '../fields.ts'
import { paged, pageQuery } from '../paging.ts'
import { deviceStatus } from './devices.ts'

/** Programs that agents need and the appliance delivers; for its administrator. */

const read = userAccess(undefined, { platformAdmin: true })
const write = userAccess(undefined, { platformAdmin: true, mfa: 'session' })
const component = z.object({ component: componentName })

/** `installed`: copied from a package that is installed on the appliance. */
export const programSource = z.enum(['installed', 'download', 'upload'])
export type ProgramSource = z.infer<typeof programSource>

const program = z.object({
  version: componentVersion,
  platform: componentPlatform,
  bytes: z.int(),
  sha256: z.string(),
  source: programSource,
  /** Fingerprint of the key that signed the release; null for a copy of what is installed. */
  signedBy: z.string().nullable(),
  addedAt: instant,
  /** Agents of the platform get this one. */
  isOffered: z.boolean(),
  /** It is what the appliance has installed, and would come back. */
  isInstalled: z.boolean(),
})
export type ProgramView = z.infer<typeof program>

const downloadState = z.object({
  /** Of the background task, which can be canceled, or taken off the list once it has failed. */
  taskId: z.string(),
  state: z.enum(['running', 'completed', 'failed']),
  /** Null until it is known which one is the newest. */
  version: componentVersion.nullable(),
  /** Files that are there, of all that are wanted; when all are, they are being verified. */
  progress: z.object({ files: z.int(), ofFiles: z.int(), bytes: z.int() }).nullable(),
  error: z.string().nullable(),
  startedAt: instant,
  finishedAt: instant.nullable(),
})

export const readComponent = endpoint({
  name: 'components.read',
  method: 'GET',
  path: '/system/components/:component',
  summary: 'Which platforms the appliance has a program for, and how many devices lack it',
  access: read,
  params: component,
  reply: z.object({
    /** The oldest version that agents use. */
    oldestVersion: z.string(),
    /** What the appliance itself would use; null for none. */
    onAppliance: z.object({ version: z.string(), isInstalled: z.boolean() }).nullable(),
    /** The address that releases are downloaded below. */
    releases: z.string(),
    programs: z.array(program),
    /** Of the devices within reach. `lacking`: their agent has reported none. */
    devices: z.array(z.object({ platform: z.string(), devices: z.int(), lacking: z.int() })),
    /** The last one, unless it was canceled. */
    download: downloadState.nullable(),
  }),
})

export const listLackingDevices = endpoint({
  name: 'components.lacking-devices',
  method: 'GET',
  path: '/system/components/:component/lacking-devices',
  summary: 'Devices whose agent has reported no such program',
  access: read,
  params: component,
  query: z.object(pageQuery),
  reply: paged(
    z.object({
      deviceId: z.uuid(),
      hostname: z.string(),
      displayName: z.string().nullable(),
      organizationName: z.string(),
      platform: z.string(),
      status: deviceStatus,
      lastSeenAt: instant.nullable(),
    }),
  ),
})

export const downloadComponent = endpoint({
  name: 'components.download',
  method: 'POST',
  path: '/system/components/:component/download',
  summary: 'Download a release in the background and verify its signature',
  access: write,
  params: component,
  body: z.object({
    /** The newest unless told. */
    version: componentVersion.optional(),
    platforms: z.array(componentPlatform).min(1).max(30),
  }),
  status: 202,
  reply: ok,
  audit: 'platform_admin.components.download',
})

/** Bytes: of one release file, as it is downloaded. */
export const maxReleaseFile = 64 * 1024 * 1024
export const maxReleaseFiles = 24

export const uploadComponent = endpoint({
  name: 'components.upload',
  method: 'POST',
  path: '/system/components/:component/upload',
  summary: 'Add programs from the files of a release: SHA256SUMS, SHA256SUMS.asc and those of the platforms',
  access: write,
  params: component,
  fileLimit: maxReleaseFile,
  fileCount: maxReleaseFiles,
  reply: z.object({ added: z.array(z.object({ version: componentVersion, platform: componentPlatform })) }),
  audit: 'platform_admin.components.upload',
})

export const removeProgram = endpoint({
  name: 'components.remove',
  method: 'DELETE',
  path: '/system/components/:component/:version/:platform',
  summary: 'Remove a program from the appliance; agents keep what they have',
  access: write,
  params: component.extend({ version: z.string(), platform: z.string() }),
  reply: ok,
  audit: 'platform_admin.components.remove',
})
