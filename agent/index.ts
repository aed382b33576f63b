import { resolve } from 'node:path'
import { Command } from 'commander'
import { health } from '../shared/api/system.ts'
import { enroll } from './enroll.ts'
import { AgentFailure, exitCode, reasonOf } from './failure.ts'
import { createLog, logFile } from './log.ts'
import { switchPower } from './power.ts'
import { runAgent } from './run.ts'
import { createServerClient } from './server-client.ts'
import { installService, removeOwnService, serviceStatus, uninstallService } from './service/index.ts'
import { defaultStateDir, loadState } from './state.ts'
import { loadTrust } from './trust.ts'
import { agentVersion } from './version.ts'

interface Common {
  stateDir: string
  verbose?: boolean
}

const say = (text: string) => void process.stdout.write(`${text}\n`)

const program = new Command('homeport-agent')
  .description('The Homeport device agent: reports this device to the appliance and runs what it asks for.')
  .version(agentVersion)

const withState = (command: Command) =>
  command
    .option('--state-dir <dir>', 'where the agent keeps its state', (dir) => resolve(dir), defaultStateDir())
    .option('--verbose', 'verbose output')

interface EnrollFlags extends Common {
  server: string
  caFingerprint?: string
  enrollmentSecret?: string
  deviceRole?: string
  force?: boolean
}

withState(program.command('enroll'))
  .description('enroll this device with an appliance')
  .argument('<key>', 'enrollment key from the console')
  .requiredOption('--server <address>', 'such as https://homeport.local:8443')
  .option('--ca-fingerprint <sha256>', "fingerprint of the appliance's certificate authority")
  .option('--enrollment-secret <secret>', 'if the key asks for one')
  .option('--device-role <role>', 'type of this device; guessed by default')
  .option('--force', 'enroll again even if this device is already enrolled')
  .action(async (key: string, flags: EnrollFlags) => {
    const { already, state } = await enroll(key, flags, createLog(flags))
    if (already) {
      return say(
        `This device is already enrolled with ${state.serverUrl} (device ${state.deviceId}).\nUse --force to enroll it again.`,
      )
    }
    say(`Enrolled with ${state.serverUrl} as device ${state.deviceId}.`)
    const isInstalled = (await serviceStatus().catch(() => 'not installed')) !== 'not installed'
    say(
      isInstalled
        ? 'Now run "service install" again, so that the service uses it.'
        : 'Next: "service install" to keep the agent running, or "run" to try it here.',
    )
  })

withState(program.command('run'))
  .description('run the agent until it is stopped')
  .option('--log-file <file>', 'write the log to this file instead of the terminal')
  .action(async (flags: Common & { logFile?: string }) => {
    const log = createLog({ verbose: flags.verbose, write: flags.logFile ? logFile(flags.logFile) : undefined })
    const stop = new AbortController()
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort())
    await runAgent({
      stateDir: flags.stateDir,
      log,
      signal: stop.signal,
      power: switchPower,
      removeService: removeOwnService,
    })
    process.exit(0) // whatever a command left open must not keep the agent
  })

withState(program.command('status'))
  .description('show whether this device is enrolled and whether the appliance answers')
  .action(async (flags: Common) => {
    const state = loadState(flags.stateDir)
    if (!state) return say(`Not enrolled (nothing in ${flags.stateDir}).`)
    say(`Server   ${state.serverUrl}\nDevice   ${state.deviceId}\nEnrolled ${state.enrolledAt}`)
    say(`Service  ${await serviceStatus()}`)
    say(`Network  ${await reach(state.serverUrl, flags)}`)
  })

async function reach(serverUrl: string, flags: Common): Promise<string> {
  const { signal } = new AbortController()
  const client = createServerClient({ serverUrl, trust: loadTrust(flags.stateDir), log: createLog(flags), signal })
  return client.call(health, {}, { retries: 0 }).then(
    ({ status }) => (status === 200 ? 'the server responds' : `the server responds with ${status}`),
    (error) => `the server does not respond: ${reasonOf(error)}`,
  )
}

program
  .command('version')
  .description('print the version')
  .action(() => say(agentVersion))

const service = program.command('service').description('keep the agent running, starting at boot')

withState(service.command('install'))
  .description('install and start the service')
  .action(async (flags: Common) =>
    say(`The service is installed and running. Its log: ${await installService(flags.stateDir)}`),
  )

service
  .command('uninstall')
  .description('stop and remove the service; the device stays enrolled')
  .action(async () => say((await uninstallService()) ? 'The service was removed.' : 'No service is installed.'))

service
  .command('status')
  .description('show whether the service is installed and running')
  .action(async () => say(await serviceStatus()))

const oldestNode = 22

try {
  if (Number.parseInt(process.versions.node, 10) < oldestNode) {
    throw new AgentFailure(
      exitCode.badConfig,
      `The agent needs Node.js ${oldestNode} or newer; this is ${process.version}.`,
    )
  }
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`)
  process.exitCode = error instanceof AgentFailure ? error.exitCode : exitCode.unexpected
}
