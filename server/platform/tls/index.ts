import { openAuto } from './auto.ts'
import { openFiles } from './files.ts'
import type { Tls, TlsOptions } from './tls.ts'

export { certifiable, type HostNames, machineNames } from './names.ts'
export { type SecureContext, type Tls, type TlsClock, TlsError, type TlsErrorCode, type TlsOptions } from './tls.ts'

/** Opens the appliance's TLS identity. Rejects with a TlsError when what is stored or given cannot be used. */
export function openTls(options: TlsOptions): Promise<Tls> {
  return options.mode === 'auto' ? openAuto(options) : openFiles(options)
}
