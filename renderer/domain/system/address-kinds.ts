import type { ConnectionInfo } from '../../data/system.ts'

export const addressKinds: Record<ConnectionInfo['addresses'][number]['kind'], string> = {
  configured: 'public address',
  host: 'host name',
  mdns: 'local name',
  lan: 'LAN address',
  localhost: 'this computer only',
}
