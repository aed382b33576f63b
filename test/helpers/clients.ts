import { ClientAddresses } from '../../server/platform/client-address.ts'

/** Clients that come straight from the LAN: no proxy is trusted. */
export const directClients = new ClientAddresses({ isTrusting: false, cidrs: [], trustsCloudflare: false })
