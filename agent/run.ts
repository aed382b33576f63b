import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { health } from '../shared/api/system.ts'
import { listingPath, listingType } from '../shared/device/backup.ts'
import { createCommandRunner } from './command-runner.ts'
import { testRestoreFolder } from './commands/backup-verification.ts'
import { allCommands } from './commands/index.ts'
import { createComponentClient } from './components/component-client.ts'
import { createConnection } from './connection.ts'
import { reasonOf } from './failure.ts'
import { createHeart } from './heartbeat.ts'
import type { Trust } from './http.ts'
import { createInventory } from './inventory.ts'
import { openJournal } from './journal.ts'
import { holdLock } from './lock.ts'
import type { Log } from './log.ts'
import { createOutputStream } from './output-stream.ts'
import type { PowerSwitch } from './power.ts'
import { createReporter } from './reporter.ts'
import { createResticPrograms } from './restic/programs.ts'
import { removeLeftStaging } from './restic/staging.ts'
import { removeLeftTestFolders } from './restic/test-restore-folder.ts'
import { createServerClient } from './server-client.ts'
import { requireState } from './state.ts'
import { adoptAuthorities, isPinned, loadTrust } from './trust.ts'
import { upload } from './upload.ts'
import { agentVersion } from './version.ts'
import { createVitalSigns } from './vital-signs.ts'

interface RunOptions {
  stateDir: string
  log: Log
  /** Stops the agent in good order. */
  signal: AbortSignal
  power: PowerSwitch
  removeService(stateDir: string): Promise<void>
}

/** Until a restic has ended whose agent was killed, as far as it still makes folders. */
const settlingMs = 10_000

/** Connects the parts of the agent, starts and stops them in order. Returns once the agent has been told to stop. */
export async function runAgent({ stateDir, log, signal, power, removeService }: RunOptions): Promise<void> {
  const state = requireState(stateDir)
  const lock = await holdLock(stateDir)
  const { agentId, serverUrl, authToken } = state
  const ending = new AbortController()
  const removed = new AbortController()
  const trust = loadTrust(stateDir)
  const client = createServerClient({ serverUrl, trust, authToken, log, signal: ending.signal })
  const inventory = createInventory(client, agentId, log)
  const programs = createResticPrograms({
    folder: join(stateDir, 'components', 'restic'),
    source: createComponentClient({ client, agentId, component: 'restic', log, signal: ending.signal }),
    log,
    onChange: () => heart.quicken(),
  })
  void removeLeftStaging(join(stateDir, 'restoring')).catch((error) =>
    log.warn(`restore: what an interrupted one has left stays: ${reasonOf(error)}`),
  )
  void removeLeftTestFolders(testRestoreFolder(stateDir), settlingMs)
  // Secrets of a run that a kill cut off.
  rmSync(join(stateDir, 'restic'), { recursive: true, force: true })
  const journal = openJournal(join(stateDir, 'journal'), log)

  const connection = createConnection({
    state,
    trust,
    log,
    onConnected() {
      void reporter.flush()
      heart.quicken()
    },
    onCommand: (directive) => runner.submit(directive),
    onAck: (commandId) => reporter.acknowledged(commandId),
  })
  const reporter = createReporter({ agentId, client, journal, log, send: connection.send })
  const runner = createCommandRunner({
    journal,
    log,
    report: reporter.report,
    commands: allCommands({
      stateDir,
      inventory,
      power,
      remove,
      backup: {
        programs,
        settings: { folder: join(stateDir, 'restic'), cacheFolder: join(stateDir, 'restic-cache'), serverUrl },
        sendFiles: (jobId, snapshotId, body) =>
          upload({
            serverUrl,
            trust,
            authToken,
            path: listingPath(agentId, jobId, snapshotId),
            contentType: listingType,
            body,
            signal: ending.signal,
          }),
        authorities: () => (isPinned(trust) ? trust.authorities()?.join('\n') : undefined),
      },
    }),
    sendProgress: (commandId, progress) => void connection.send({ type: 'backup_progress', commandId, progress }),
    openOutput: (commandId) =>
      createOutputStream((piece) => {
        if (connection.can('command_output')) connection.send({ type: 'command_output', commandId, ...piece })
      }),
  })
  const heart = createHeart({
    agentId,
    client,
    log,
    intervalMs: state.heartbeatIntervalSeconds * 1000,
    vitalSigns: createVitalSigns(state, trust, programs, log),
    onCommand: (directive) => runner.submit(directive),
    onTrust,
    onBeat() {
      void reporter.flush()
      void inventory.refreshDue()
      void programs.refreshDue()
    },
  })

  async function onTrust(caPem: string): Promise<void> {
    if (!isPinned(trust)) return // without a pinned authority the system's store decides
    const probe = (offered: Trust) =>
      createServerClient({ serverUrl, trust: offered, log, signal: ending.signal }).call(health, {}, { retries: 0 })
    try {
      await adoptAuthorities(trust, caPem, probe)
      log.info('trust: follows the server to new certificate authorities')
    } catch (error) {
      log.error(`trust: the authorities the server sent are unusable: ${reasonOf(error)}`)
    }
  }

  async function remove({ removeConfig }: { removeConfig: boolean }): Promise<void> {
    log.info('the agent removes itself')
    if (removeConfig) rmSync(stateDir, { recursive: true, force: true })
    await removeService(stateDir)
    removed.abort()
  }

  log.info(`agent ${agentVersion} runs as ${agentId.slice(0, 8)}… for ${serverUrl}`)
  const stop = AbortSignal.any([signal, removed.signal])
  const links = Promise.all([heart.run(stop), connection.run(ending.signal)])
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }))
  await runner.stop()
  ending.abort()
  await links
  lock.close()
  log.info('agent stopped')
}
