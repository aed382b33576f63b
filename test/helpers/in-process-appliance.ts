import { join } from 'node:path'
import { type Appliance, startAppliance } from '../../server/appliance.ts'
import { loadConfig } from '../../server/config/config.ts'
import { silentLog } from '../../server/platform/log.ts'
import { freePort, root } from './real-appliance.ts'

/**
 * The appliance in the process of the test, listening as the real one does: for tests whose subject is not the process.
 * It starts in a tenth of the time.
 */
export async function serveHere(
  dataDir: string,
  env: Record<string, string> = {},
  releaseKey?: string,
): Promise<Appliance> {
  const port = env.HOMEPORT_PORT ?? String(await freePort())
  return startAppliance({
    config: loadConfig({
      HOMEPORT_SIGN_IN_FLOOR_MS: '0',
      HOMEPORT_DATA_DIR: dataDir,
      HOMEPORT_HOST: '127.0.0.1',
      HOMEPORT_TLS: 'off',
      ...env,
      HOMEPORT_PORT: port,
    }),
    log: silentLog(),
    version: '0.0.0-test',
    distDir: join(root, 'dist'),
    ...(releaseKey && { releaseKey }),
  })
}
