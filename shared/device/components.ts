import { z } from 'zod'
import { componentName, componentPlatform, componentVersion } from '../components.ts'
import { agentAccess, endpoint } from '../endpoint.ts'
import { agentParams } from './heartbeat.ts'

/** Programs that the appliance delivers to agents. */

export const componentOffer = z.object({
  version: componentVersion,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
})
export type ComponentOffer = z.infer<typeof componentOffer>

export const readComponentOffer = endpoint({
  name: 'agents.component',
  method: 'GET',
  path: '/agents/:agentId/components/:component',
  summary: 'The newest version of a program that the appliance has for a platform; null for none',
  access: agentAccess(),
  params: agentParams.extend({ component: componentName }),
  query: z.object({ platform: componentPlatform }),
  reply: z.object({ offer: componentOffer.nullable() }),
})

export const downloadComponentFile = endpoint({
  name: 'agents.component-file',
  method: 'GET',
  path: '/agents/:agentId/components/:component/:version/:platform',
  summary: 'The program; `Range: bytes=N-` continues a download that broke off',
  access: agentAccess(),
  params: agentParams.extend({ component: componentName, version: z.string(), platform: z.string() }),
  /** The file. */
  reply: z.unknown(),
  content: 'application/octet-stream',
})
