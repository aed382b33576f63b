import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { company, otherCompany } from '../../../test/helpers/factories.ts'
import { testApp } from '../../../test/helpers/test-app.ts'
import { loadConfig } from '../../config/config.ts'
import { everyOrg, type OrgReach, onlyOrgs, unlimitedReach } from '../../db/reach.ts'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { PublicAddress } from '../../platform/public-address.ts'
import { openTls } from '../../platform/tls/index.ts'
import { AgentFile } from './agent-file.ts'
import { ConnectionInfo } from './connection-info.ts'

test('the progress of a CA rotation counts only the devices within reach', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'homeport-connection-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  await using app = await testApp()
  const [own] = [await company(app), await otherCompany(app)]
  const names = () => ({ dns: ['localhost'], ip: [] })
  const tls = await openTls({ mode: 'auto', dir, names, clock: systemClock, log: silentLog() })
  const agentFile = new AgentFile(join(dir, 'homeport-agent.mjs'))
  const connectionInfo = new ConnectionInfo(
    app.db,
    loadConfig({}),
    new PublicAddress(app.db, undefined),
    tls,
    agentFile,
    '1.0.0',
    () => 8443,
  )
  const devicesOf = async (orgs: OrgReach) => (await connectionInfo.describe({ ...unlimitedReach, orgs })).caRotation
  expect(await devicesOf(everyOrg)).toBeNull()
  await connectionInfo.rotateCa()
  expect(await devicesOf(everyOrg)).toMatchObject({ confirmedDevices: 0, totalDevices: 2 })
  expect(await devicesOf(onlyOrgs([own.org.id]))).toMatchObject({ confirmedDevices: 0, totalDevices: 1 })
  expect(await devicesOf(onlyOrgs([]))).toMatchObject({ totalDevices: 0 })
})
