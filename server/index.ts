import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { isRecord } from '../shared/objects.ts'
import { errorCode, toError } from '../shared/thrown.ts'
import { type Appliance, startAppliance } from './appliance.ts'
import { setupLink, welcome } from './banner.ts'
import { calmCollector } from './calm-collector.ts'
import { loadConfig } from './config/config.ts'
import { connectParent, type Parent } from './parent-process.ts'
import { openLog } from './platform/log.ts'
import { watchStarter } from './starter.ts'

/** The process: configuration, start, "ready", and an orderly end when told or when the parent is gone. */

const here = import.meta.dirname
const root = basename(dirname(here)) === 'dist' ? join(here, '..', '..') : join(here, '..')
/** Those of a closed terminal too; on Windows Ctrl+Break and the closed window of the console. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const
const packageFile = z.object({ version: z.string() })
const say = (text: string) => process.stdout.write(`${text}\n`)

async function main(): Promise<void> {
  calmCollector()
  // Nobody else on the machine reads what the appliance writes.
  process.umask(0o077)
  let appliance: Appliance | undefined
  let stopWanted = false
  let stop = () => {
    stopWanted = true
  }
  const parent = connectParent({
    onStop: () => stop(),
    onExamineTrust: ({ id, draft }) =>
      appliance && parent.tell({ type: 'trust-examined', id, trust: appliance.app.sso.examineTrust(draft) }),
  })
  for (const signal of stopSignals) process.on(signal, () => stop())
  watchStarter(process.argv.slice(2), () => stop())

  const config = loadConfig(process.env)
  const { log, close: closeLog } = await openLog(config.dataDir, config.logLevel)
  const { version } = packageFile.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  appliance = await startAppliance({
    config,
    log,
    version,
    distDir: join(root, 'dist'),
    onSetupCode: (code) => appliance && say(`The setup code has changed. Set up at ${setupLink(appliance, code)}`),
    onTrustChange: () => appliance && tellReady(parent, appliance),
  })
  const running = appliance
  stop = () => {
    // npm passes on what the terminal has sent already: a second signal is no second wish.
    stop = () => {}
    setTimeout(() => process.exit(1), 8_000)
    running
      .stop()
      .then(
        () => 0,
        (error: unknown) => {
          log.error({ err: error }, 'The appliance did not stop in order')
          return 1
        },
      )
      .then(async (code) => {
        await closeLog()
        process.exit(code)
      })
  }
  say(welcome(running, config, version))
  tellReady(parent, running)
  if (stopWanted) stop()
}

function tellReady(parent: Parent, appliance: Appliance): void {
  const addresses = appliance.app.connectionInfo.addresses()
  const local = addresses.find(({ kind }) => kind === 'localhost') ?? addresses[0]
  const code = appliance.app.bootstrap.setupCode()
  parent.tell({
    type: 'ready',
    loopbackOrigin: local?.url ?? '',
    addresses: addresses.filter(({ kind }) => kind !== 'localhost').map(({ url }) => url),
    // With certificate files of the administrator's own, the shell trusts just the certificate served.
    trustAnchors: appliance.tls ? (appliance.tls.caPem() ?? appliance.tls.secureContext().cert) : null,
    browserOrigin: new URL(appliance.app.sso.callbackUrl()).origin,
    ...(code && { setupLink: setupLink(appliance, code) }),
  })
}

process.on('unhandledRejection', (error) => {
  // Electron's utility processes would only warn; a server in an unknown state must be started anew.
  throw error
})

function explain(error: unknown): string {
  const code = errorCode(error)
  const port = isRecord(error) ? error.port : undefined
  if (code === 'EADDRINUSE')
    return `port ${port} is in use by another program; stop it or choose one with HOMEPORT_PORT`
  if (code === 'EACCES' && port)
    return `port ${port} is reserved for administrators; choose one above 1023 with HOMEPORT_PORT`
  return toError(error).message
}

main().catch((error: unknown) => {
  process.stderr.write(`Homeport could not start: ${explain(error)}\n`)
  process.exit(1)
})
