import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readKey, readSignature } from 'openpgp'
import { expect, onTestFinished, test } from 'vitest'
import { ownPlatform } from '../../server/features/components/own-platform.ts'
import { ProgramFolder } from '../../server/features/components/program-folder.ts'
import { resticReleaseKey } from '../../server/features/components/release/restic-release-key.ts'
import { readSignedSums } from '../../server/features/components/release/signed-sums.ts'
import { silentLog } from '../../server/platform/log.ts'
import { downloadComponent, listLackingDevices, readComponent, removeProgram } from '../../shared/api/components.ts'
import { cancelTask } from '../../shared/api/system.ts'
import { downloadComponentFile, readComponentOffer } from '../../shared/device/components.ts'
import { eventually } from '../helpers/eventually.ts'
import { bootstrapped, enrolledDevice, holdings, otherCompany, person } from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { bomb, type Files, formOf, makeSigner, programOf, serveReleases, sha256, zipOf } from '../helpers/release.ts'
import { setDevice } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** Programs that the appliance delivers to agents: how it gets them, and who gets them from it. */

const signer = await makeSigner()
const component = 'restic' as const
const params = { component }
/** No restic is installed on this appliance. */
const bare = { RESTIC_PATH: '/nowhere/restic' }

async function scene(env: Record<string, string> = {}) {
  const app = await testApp({ env: { ...bare, ...env }, releaseKey: signer.publicKey })
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { token, partnerId } = await bootstrapped(app)
  const upload = async (files: Iterable<[string, Buffer]>, as = token) => {
    const { payload, headers } = formOf(files)
    const url = '/api/v1/system/components/restic/upload'
    const response = await app.inject({
      method: 'POST',
      url,
      payload,
      headers: { ...headers, authorization: `Bearer ${as}` },
    })
    return { status: response.statusCode, body: response.json() }
  }
  const read = async () => (await app.call(readComponent, { params }, { token })).body
  const programs = async () => (await read()).programs.map(({ version, platform }) => `${version} ${platform}`)
  return { app, token, partnerId, upload, read, programs, folder: join(app.dataDir, 'components') }
}

const events = (app: TestApp) =>
  app.db
    .statement(
      `SELECT action, result, details FROM audit_logs WHERE action LIKE 'platform_admin.components.%' ORDER BY seq`,
    )
    .all() as { action: string; result: string; details: string }[]

test('a release is uploaded, verified, and offered to devices of its platforms, the newest first', async () => {
  const { app, token, upload, read, folder } = await scene()
  const { device } = await holdings(app, token)
  const older = await signer.release('0.17.3', ['linux-amd64'])
  expect(await upload(older)).toEqual({
    status: 200,
    body: { added: [{ version: '0.17.3', platform: 'linux-amd64' }] },
  })
  const newer = await signer.release('0.18.0', ['linux-amd64', 'windows-amd64', 'macos-arm64'])
  expect((await upload(newer)).body.added).toHaveLength(3)
  expect((await upload(newer)).body, 'the same again').toEqual({ added: [] })

  const { programs, oldestVersion, onAppliance } = await read()
  expect([oldestVersion, onAppliance?.version]).toEqual([
    '0.14.0',
    ownPlatform === 'linux-amd64' ? '0.18.0' : undefined,
  ])
  expect(programs).toHaveLength(4)
  expect(programs[0]).toEqual({
    version: '0.18.0',
    platform: 'linux-amd64',
    bytes: programOf('0.18.0').length,
    sha256: sha256(programOf('0.18.0')),
    source: 'upload',
    signedBy: expect.stringMatching(/^[0-9A-F]{40}$/),
    addedAt: expect.any(String),
    isOffered: true,
    isInstalled: false,
  })
  expect(programs.filter(({ isOffered }) => !isOffered).map(({ version }) => version)).toEqual(['0.17.3'])
  expect(readFileSync(join(folder, 'restic/0.18.0/windows-amd64/restic.exe'), 'utf8')).toBe(programOf('0.18.0'))
  expect(readdirSync(folder), 'no draft is left').toEqual(['restic'])
  expect(events(app).map(({ action, result }) => [action, result])).toEqual(
    Array(3).fill(['platform_admin.components.upload', 'success']),
  )

  const ask = (platform: string) =>
    app.call(
      readComponentOffer,
      { params: { agentId: device.agentId, component }, query: { platform } },
      { token: device.authToken },
    )
  expect((await ask('linux-amd64')).body).toEqual({
    offer: { version: '0.18.0', sha256: programs[0]?.sha256, bytes: programs[0]?.bytes },
  })
  expect((await ask('linux-riscv64')).body).toEqual({ offer: null })
  expect((await ask('../../tls')).status).toBe(400)
})

test('an agent downloads the program whole or from where it broke off, and nobody without its token', async () => {
  const { app, token, upload } = await scene()
  const { device } = await holdings(app, token)
  const other = (await holdings(app, token, 'Oslo', 'pc-2')).device
  await upload(await signer.release('0.18.0', ['linux-amd64']))
  const get = (
    more: { version?: string; platform?: string; agentId?: string; token?: string; headers?: object } = {},
  ) => {
    const { version = '0.18.0', platform = 'linux-amd64', agentId = device.agentId, headers } = more
    return app.inject({
      url: `/api/v1/agents/${agentId}/components/restic/${version}/${platform}`,
      headers: { authorization: `Bearer ${more.token ?? device.authToken}`, ...headers },
    })
  }
  const whole = await get()
  expect([whole.statusCode, whole.body]).toEqual([200, programOf('0.18.0')])
  expect(whole.headers).toMatchObject({
    'content-type': downloadComponentFile.content,
    'content-length': String(whole.body.length),
    'x-sha256': sha256(whole.body),
    'accept-ranges': 'bytes',
  })
  const rest = await get({ headers: { range: 'bytes=10-' } })
  expect([rest.statusCode, rest.body]).toEqual([206, programOf('0.18.0').slice(10)])
  expect(rest.headers['content-range']).toBe(`bytes 10-${whole.body.length - 1}/${whole.body.length}`)
  expect((await get({ headers: { range: `bytes=${whole.body.length}-` } })).body).toBe(whole.body)

  expect((await get({ token: 'brz_wrong' })).statusCode).toBe(401)
  expect((await get({ token: other.authToken })).statusCode).toBe(401)
  expect((await get({ token })).statusCode).toBe(401)
  for (const path of [{ version: '0.18.1' }, { platform: 'linux-arm64' }, { version: '..%2f..', platform: 'tls' }])
    expect((await get(path)).statusCode, JSON.stringify(path)).toBe(404)
  setDevice(app, device.deviceId, { status: 'quarantined' })
  expect((await get()).statusCode).toBe(403)
})

/** What is wrong with an upload, and what the refusal says. */
const attacks: [string, (files: Files) => Promise<Iterable<[string, Buffer]>>, string, string?][] = [
  [
    'signed by another key',
    async (files) => (await makeSigner()).sign(onlyPrograms(files)),
    'component_signature_invalid',
    'SHA256SUMS.asc',
  ],
  [
    'with a signature of other sums',
    async (files) => {
      const other = await signer.release('0.18.1', ['linux-amd64'])
      return new Map([...files, ['SHA256SUMS.asc', other.get('SHA256SUMS.asc') ?? Buffer.of()]])
    },
    'component_signature_invalid',
    'SHA256SUMS.asc',
  ],
  [
    'with sums that were changed',
    async (files) =>
      new Map([...files, ['SHA256SUMS', Buffer.concat([files.get('SHA256SUMS') ?? Buffer.of(), Buffer.from('\n')])]]),
    'component_signature_invalid',
    'SHA256SUMS.asc',
  ],
  [
    'with a signature that is none',
    async (files) => new Map([...files, ['SHA256SUMS.asc', Buffer.from('no signature')]]),
    'component_signature_invalid',
    'SHA256SUMS.asc',
  ],
  [
    'with a file that was changed',
    async (files) => changed(files, (content) => Buffer.concat([content.subarray(0, -1), Buffer.of(255)])),
    'component_checksum_mismatch',
    linuxFile(),
  ],
  [
    'with a file that is cut off',
    async (files) => changed(files, (content) => content.subarray(0, content.length / 2)),
    'component_checksum_mismatch',
    linuxFile(),
  ],
  [
    'with a program of another platform under this name',
    async (files) => changed(files, () => files.get('restic_0.18.0_windows_amd64.zip') ?? Buffer.of()),
    'component_checksum_mismatch',
    linuxFile(),
  ],
  [
    'with a file the sums do not list',
    async (files) => [...files, ['restic_0.18.0_linux_arm.bz2', files.get(linuxFile()) ?? Buffer.of()]],
    'component_file_unlisted',
    'restic_0.18.0_linux_arm.bz2',
  ],
  [
    'of a system without agents',
    async (files) => [...files, ['restic_0.18.0_openbsd_amd64.bz2', Buffer.of(1)]],
    'component_file_unknown',
    'restic_0.18.0_openbsd_amd64.bz2',
  ],
  [
    'with a name that leads elsewhere',
    async (files) => [...files, ['..\\\\..\\\\keyring.json', Buffer.of(1)]],
    'component_file_unknown',
  ],
  ['with a file twice', async (files) => [...files, ...onlyPrograms(files)], 'component_file_twice', linuxFile()],
  [
    'without the sums',
    async (files) => [...files].filter(([name]) => name !== 'SHA256SUMS'),
    'component_files_missing',
  ],
  [
    'without a program',
    async (files) => [...files].filter(([name]) => name.startsWith('SHA')),
    'component_files_missing',
  ],
  ['that is a bomb', async () => signer.sign(new Map([[linuxFile(), bomb]])), 'component_file_unreadable', linuxFile()],
  [
    'that is a bomb in a zip',
    async () =>
      signer.sign(
        new Map([['restic_0.18.0_windows_amd64.zip', await zipOf({ 'restic.exe': Buffer.alloc(110 * 1024 * 1024) })]]),
      ),
    'component_file_unreadable',
    'restic_0.18.0_windows_amd64.zip',
  ],
  [
    'with two files in a zip',
    async () => signer.sign(new Map([['restic_0.18.0_windows_amd64.zip', await zipOf({ a: 'a', b: 'b' })]])),
    'component_file_unreadable',
    'restic_0.18.0_windows_amd64.zip',
  ],
  [
    'with nothing in a zip',
    async () => signer.sign(new Map([['restic_0.18.0_windows_amd64.zip', await zipOf({ 'restic.exe': '' })]])),
    'component_file_unreadable',
    'restic_0.18.0_windows_amd64.zip',
  ],
  [
    'that is not packed as its name says',
    async () => signer.sign(new Map([[linuxFile(), Buffer.from('not bzip2')]])),
    'component_file_unreadable',
    linuxFile(),
  ],
  [
    'that is too old',
    async () => signer.sign(new Map([['restic_0.13.1_linux_amd64.bz2', Buffer.of(1)]])),
    'component_too_old',
    'restic_0.13.1_linux_amd64.bz2',
  ],
]

function linuxFile() {
  return 'restic_0.18.0_linux_amd64.bz2'
}
const onlyPrograms = (files: Files) => new Map([...files].filter(([name]) => !name.startsWith('SHA')))
const changed = (files: Files, change: (content: Buffer) => Buffer) =>
  new Map([...files].map(([name, content]) => [name, name === linuxFile() ? change(content) : content]))

test('an upload of which anything is wrong is refused, names the file, stores nothing and leaves no event', async () => {
  const { app, upload, programs, folder } = await scene()
  const files = await signer.release('0.18.0', ['linux-amd64', 'windows-amd64'])
  const before = app.rowCounts()
  for (const [what, attack, code, file] of attacks) {
    const { status, body } = await upload(await attack(files))
    expect([status, body.code, file && body.file], what).toEqual([400, code, file])
    expect(await programs(), what).toEqual([])
    expect(readdirSync(folder), what).toEqual([])
    expect(app.rowCounts(), what).toEqual(before)
  }
})

test('only administrators of the platform see or change what is delivered', async () => {
  const { app, partnerId, upload, programs } = await scene()
  const files = await signer.release('0.18.0', ['linux-amd64'])
  await upload(files)
  const stranger = (await otherCompany(app)).admin
  const colleague = await person(app, { email: 'tom@acme.test', scope: 'partner', partnerId })
  const before = app.rowCounts()
  for (const { token } of [stranger, colleague]) {
    expect((await app.call(readComponent, { params }, { token })).status).toBe(403)
    expect((await app.call(listLackingDevices, { params }, { token })).status).toBe(403)
    expect((await upload(files, token)).status).toBe(403)
    const one = { params: { component, version: '0.18.0', platform: 'linux-amd64' } }
    expect((await app.call(removeProgram, one, { token })).status).toBe(403)
    const body = { platforms: ['linux-amd64'] }
    expect((await app.call(downloadComponent, { params, body }, { token })).status).toBe(403)
  }
  expect(app.rowCounts()).toEqual(before)
  expect(await programs()).toEqual(['0.18.0 linux-amd64'])
})

/** An appliance whose releases lie on a server of the test. */
async function withReleases(env: Record<string, string> = {}) {
  const host = await serveReleases('0.18.0', await signer.release('0.18.0', ['linux-amd64', 'macos-arm64']))
  const at = await scene({ RESTIC_RELEASES_URL: host.address, OUTBOUND_ALLOWED_CIDRS: '127.0.0.1', ...env })
  const { app, token, read } = at
  const start = (body: { version?: string; platforms: string[] }) =>
    app.call(downloadComponent, { params, body }, { token })
  const download = async (body: { version?: string; platforms: string[] }) => {
    expect((await start(body)).status).toBe(202)
    return eventually(async () => {
      const { download } = await read()
      expect(download?.state).not.toBe('running')
      return download
    })
  }
  return { ...at, host, start, download }
}

test('the newest release is downloaded, or the one that is named, and takes its place once it is verified', async () => {
  const { app, host, download, programs, read } = await withReleases()
  expect((await read()).download).toBeNull()
  expect(await download({ platforms: ['linux-amd64', 'macos-arm64'] })).toMatchObject({
    state: 'completed',
    version: '0.18.0',
    error: null,
    progress: { files: 4, ofFiles: 4, bytes: expect.any(Number) },
  })
  expect(await programs()).toEqual(['0.18.0 linux-amd64', '0.18.0 macos-arm64'])
  host.releases.set('0.17.3', await signer.release('0.17.3', ['linux-amd64']))
  await download({ version: '0.17.3', platforms: ['linux-amd64'] })
  expect((await read()).programs.map(({ version, platform, isOffered }) => [version, platform, isOffered])).toEqual([
    ['0.18.0', 'linux-amd64', true],
    ['0.18.0', 'macos-arm64', true],
    ['0.17.3', 'linux-amd64', false],
  ])
  expect(events(app).map(({ action, result }) => `${action} ${result}`)).toEqual([
    'platform_admin.components.download success',
    'platform_admin.components.add success',
    'platform_admin.components.download success',
    'platform_admin.components.add success',
  ])
  expect(JSON.parse(events(app)[1]?.details ?? '')).toEqual({
    programs: ['linux-amd64', 'macos-arm64'].map((platform) => ({
      version: '0.18.0',
      platform,
      sha256: sha256(programOf('0.18.0')),
      source: 'download',
      signedBy: expect.any(String),
    })),
  })
})

test('a download that fails says why, stores nothing, and writes the failure', async () => {
  const { app, token, host, download, programs, read, folder } = await withReleases()
  const linux = 'restic_0.18.0_linux_amd64.bz2'
  const failing = async (
    why: string,
    body: { version?: string; platforms: string[] } = { platforms: ['linux-amd64'] },
  ) => {
    const { state, error } = (await download(body)) ?? {}
    expect([state, error]).toEqual(['failed', expect.stringContaining(why)])
    expect(await programs()).toEqual([])
    expect(readdirSync(folder)).toEqual([])
    expect(events(app).at(-1)).toMatchObject({ action: 'platform_admin.components.add', result: 'failure' })
  }
  await failing('has no file restic_0.18.0_linux_riscv64.bz2', { platforms: ['linux-riscv64'] })
  await failing('has no file SHA256SUMS of version 0.16.0', { version: '0.16.0', platforms: ['linux-amd64'] })
  host.instead.set(linux, 'broken off')
  await failing('broke off')
  host.instead.set(linux, Buffer.from('tampered with'))
  await failing(`${linux} doesn’t have the checksum`)
  host.instead.delete(linux)
  const forged = (await (await makeSigner()).release('0.18.0', ['linux-amd64'])).get('SHA256SUMS.asc')
  host.instead.set('SHA256SUMS.asc', forged ?? Buffer.of())
  await failing('isn’t a valid signature')
  host.newest = 'latest'
  await failing('which release is the newest')
  const taskId = (await read()).download?.taskId ?? ''
  expect((await app.call(cancelTask, { params: { id: taskId } }, { token })).status).toBe(200)
  expect((await read()).download, 'no longer of interest').toBeNull()
  const good = events(app).filter(({ action, result }) => action.endsWith('.add') && result === 'success')
  expect(good).toEqual([])
})

test('releases are not fetched from the appliance itself, even by way of another server', async () => {
  const { host, download } = await withReleases({ OUTBOUND_ALLOWED_CIDRS: '' })
  expect(await download({ platforms: ['linux-amd64'] })).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('can’t be reached from the appliance'),
  })
  expect(host.asked).toEqual([])
})

test('one download runs at a time', async () => {
  const { start, app } = await withReleases()
  const both = await Promise.all([start({ platforms: ['linux-amd64'] }), start({ platforms: ['linux-amd64'] })])
  expect(both.map(({ status, body }) => [status, body.code])).toEqual([
    [202, undefined],
    [409, 'component_download_running'],
  ])
  expect(events(app).filter(({ action }) => action.endsWith('.download'))).toHaveLength(1)
})

const take = (app: TestApp) => app.app.jobs.runNow('components.take-installed')

test('what is installed on the appliance is offered to devices of its platform, until there is something newer', async () => {
  const { app, read, folder } = await scene({ RESTIC_PATH: process.env.RESTIC_PATH ?? '/usr/bin/restic' })
  expect((await take(app)).lastOutcome).toBe('success')
  const { programs, onAppliance } = await read()
  expect(programs).toEqual([
    expect.objectContaining({
      platform: ownPlatform,
      version: onAppliance?.version,
      source: 'installed',
      signedBy: null,
      isOffered: true,
      isInstalled: true,
    }),
  ])
  expect(onAppliance?.isInstalled).toBe(true)
  const [program] = programs
  const copy = readFileSync(join(folder, 'restic', program?.version ?? '', ownPlatform, 'restic'))
  expect([copy.length, sha256(copy)]).toEqual([program?.bytes, program?.sha256])
  await take(app)
  expect(events(app), 'the second time there is nothing to do').toHaveLength(1)
})

test('a copy of what is installed comes back, and so cannot be removed', async () => {
  const { app, token, read, programs } = await scene({ RESTIC_PATH: process.env.RESTIC_PATH ?? '/usr/bin/restic' })
  await take(app)
  const { version = '' } = (await read()).programs[0] ?? {}
  const gone = await app.call(removeProgram, { params: { component, version, platform: ownPlatform } }, { token })
  expect([gone.status, gone.body.code]).toEqual([409, 'component_installed'])
  expect(await programs()).toHaveLength(1)
  expect(events(app)).toHaveLength(1)
})

test('a program is removed, and agents get the one before', async () => {
  const { app, token, upload, programs, folder } = await scene()
  const { device } = await holdings(app, token)
  await upload(await signer.release('0.17.3', ['linux-amd64']))
  await upload(await signer.release('0.18.0', ['linux-amd64']))
  const remove = (version: string, platform = 'linux-amd64') =>
    app.call(removeProgram, { params: { component, version, platform } }, { token })
  expect((await remove('0.18.0')).status).toBe(200)
  expect(events(app).at(-1)).toMatchObject({ action: 'platform_admin.components.remove', result: 'success' })
  expect(await programs()).toEqual(['0.17.3 linux-amd64'])
  expect(existsSync(join(folder, 'restic/0.18.0/linux-amd64'))).toBe(false)
  const { body } = await app.call(
    readComponentOffer,
    { params: { agentId: device.agentId, component }, query: { platform: 'linux-amd64' } },
    { token: device.authToken },
  )
  expect(body.offer?.version).toBe('0.17.3')
  for (const [version, platform] of [
    ['0.18.0', 'linux-amd64'],
    ['..', 'backups'],
  ])
    expect((await remove(version ?? '', platform)).status).toBe(404)
  expect(JSON.parse(events(app).at(-1)?.details ?? '')).toMatchObject({ version: '0.18.0', platform: 'linux-amd64' })
  expect(events(app)).toHaveLength(3)
})

test('the page counts devices that lack an engine, by what their last heartbeat said', async () => {
  const { app, token, read } = await scene()
  const { key, device } = await holdings(app, token)
  const second = await enrolledDevice(app, key.key, 'pc-2')
  const [one, two] = [fakeDevice(app, device), fakeDevice(app, second)]
  const beats = async (version?: string) => {
    for (const beating of [one, two]) await beating.beat()
    await one.beat({ backupVersion: version })
    await app.app.telemetry.flush()
    return (await read()).devices
  }
  const platform = 'linux-amd64'
  expect(await beats('restic/0.18.0')).toEqual([{ platform, devices: 2, lacking: 1 }])
  const list = async () => (await app.call(listLackingDevices, { params }, { token })).body
  expect(await list()).toEqual({
    data: [
      {
        deviceId: second.deviceId,
        hostname: 'pc-2',
        displayName: null,
        organizationName: 'Berlin',
        platform,
        status: 'online',
        lastSeenAt: expect.any(String),
      },
    ],
    pagination: { page: 1, limit: 50, total: 1 },
  })
  expect(await beats(), 'an engine that is gone').toEqual([{ platform, devices: 2, lacking: 2 }])
  expect(await beats('0.5.0'), 'the engine of the public agent').toEqual([{ platform, devices: 2, lacking: 1 }])
  setDevice(app, second.deviceId, { status: 'decommissioned' })
  expect((await read()).devices).toEqual([{ platform, devices: 1, lacking: 0 }])
})

test('an unchanged engine costs a heartbeat no write', async () => {
  const { app, token } = await scene()
  const { device } = await holdings(app, token)
  const beating = fakeDevice(app, device)
  const changes = () => app.db.statement<number>('SELECT total_changes()').pluck().get() ?? 0
  const writesOf = async (backupVersion?: string) => {
    app.clock.advance(60_000)
    const before = changes()
    await beating.beat({ backupVersion })
    await app.app.telemetry.flush()
    return changes() - before
  }
  await writesOf()
  const usual = await writesOf()
  expect(await writesOf('restic/0.18.0')).toBe(usual + 1)
  expect(await writesOf('restic/0.18.0')).toBe(usual)
  expect(await writesOf()).toBe(usual + 1)
  expect(await writesOf()).toBe(usual)
})

test('programs outlast a restart, and one that is damaged is not offered', async () => {
  const { app, upload, folder } = await scene()
  await upload(await signer.release('0.18.0', ['linux-amd64', 'macos-arm64']))
  writeFileSync(join(folder, 'restic/0.18.0/macos-arm64/restic'), 'damaged')
  mkdirSync(join(folder, '.draft-left-over'))
  const again = new ProgramFolder(folder, silentLog())
  expect(again.all('restic').map(({ platform }) => platform)).toEqual(['linux-amd64'])
  await again.removeLeftovers()
  expect(readdirSync(folder)).toEqual(['restic'])
  expect(app).toBeTruthy()
})

test('the release key is the one of restic, and vouches for nothing that it has not signed', async () => {
  const { signedBy } = (await readSignedSums(Buffer.from('other content'), realSignature, resticReleaseKey)) ?? {}
  expect(signedBy).toBeUndefined()
  const key = await readKey({ armoredKey: resticReleaseKey })
  expect(key.getFingerprint()).toBe('cf8f18f2844575973f79d4e191a6868bd3f7a907')
  const signature = await readSignature({ armoredSignature: realSignature })
  expect(signature.getSigningKeyIDs().map((id) => id.toHex())).toEqual([key.getKeyID().toHex()])
})

/** Of restic-0.14.0.tar.gz, as it was published with that release. */
const realSignature = `-----BEGIN PGP SIGNATURE-----

iQIzBAABCAAdFiEEz48Y8oRFdZc/edThkaaGi9P3qQcFAmMHufgACgkQkaaGi9P3
qQeMzRAAx/Myquv/daNNMWh015mmqwuaDME4tr49v/lArM1LNJS6O3uTnlofjHvu
X87d4R6Pok0h0zO4JxMJqNvHWALL0Xn9FQqGFOlaw3SZe0/NJzfz6YcGIXXq9qaf
Yj3YR2J700XL8/uzqSUP1LhsfkICoHDq6VPvGx8k8I/BHrNMV9aOn84IsDMXiiYP
b4OjNpDsGOve+RzbXNUXHGM+mi0Z59bMo1c2htH6PnayF4wy/C4dDl8NsnrJ94aC
qAOz2p0nt71+CADL3qNqdwz5lGjrD+ZYZi1oDGYd5/psHN0/DYILkCKwy8/FqdO4
bMvj3iOiuiY+afzIo6JwkNLP/Zu54g/6oqT4iTxk0nhwVjmLfu6peeD87Jo21YJj
97Q0ym4prkxrFKfTUOk8OXBMDgsx8a0ZM5E06ZB0nJZLyXKoLgyftkiCNmbD6NTU
Y2c6lDuFqpff80xBjjfFRzjYpK+EGpKP7oVVlqEGC81aM9pwILlHJEgEwNgsIUnV
qcamGZesU0EfvjX+3OGVcpzwhZIt0RaDlphMhbbdncZ4VQ0+v/WweABqSRf4O6Nz
yCc3v0oPl8u1M6M1rREzHGmwSqGxW9lqGZptQnMISiRUeP78wbWF/Tydz00NrIjF
4zIU+xKs3jy8o67GW9bvwptnvyLZBzk02XguT9lepKEnyLjfqzE=
=YSw5
-----END PGP SIGNATURE-----
`
