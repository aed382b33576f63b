import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import { listSsoPresets } from '../../shared/api/sso-providers.ts'
import { otherCompany } from '../helpers/factories.ts'
import { applianceOrigin, openIdProvider } from '../helpers/openid-provider.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { statusAndError } from './group-kit.ts'
import { nowhere, providerScene, refuses, storedState } from './sso-provider-kit.ts'

const secret = 'Swordfish-of-the-provider'
const endpoints = (origin = nowhere) => ({
  authorizationUrl: `${origin}/authorize`,
  tokenUrl: `${origin}/token`,
  userInfoUrl: `${origin}/userinfo`,
  jwksUrl: `${origin}/keys`,
})

/** With a real provider; `settings` are what the appliance is told of it. */
async function sceneWithProvider(env: Record<string, string> = {}) {
  const idp = await openIdProvider()
  const scene = await providerScene({ ...idp.env, ...env })
  const { issuer, clientId } = idp
  return {
    ...scene,
    idp,
    settings: { issuer, clientId, clientSecret: secret },
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]()
      await idp[Symbol.asyncDispose]()
    },
  }
}

test('there are presets for four OpenID Connect and five SAML providers, with the redirect address to register', async () => {
  await using scene = await providerScene({ PUBLIC_URL: applianceOrigin })
  const { token } = await scene.somebody({
    email: 'u@x.test',
    scope: 'organization',
    orgId: scene.org.id,
    role: 'Org Viewer',
  })
  const { body } = await scene.app.call(listSsoPresets, {}, { token })
  expect(body.callbackUrl).toBe(`${applianceOrigin}/api/v1/sso/callback`)
  expect(body.data.map(({ id, type }) => `${type} ${id}`)).toEqual([
    ...['azure-ad', 'okta', 'google', 'auth0'].map((id) => `oidc ${id}`),
    ...['azure-ad-saml', 'okta-saml', 'onelogin-saml', 'adfs-saml', 'google-saml'].map((id) => `saml ${id}`),
  ])
  const preset = (id: string) => body.data.find((one) => one.id === id)
  expect(preset('okta')).toEqual({
    id: 'okta',
    name: 'Okta',
    type: 'oidc',
    issuerTemplate: 'https://{domain}.okta.com',
    scopes: 'openid profile email groups',
    attributeMapping: {
      email: 'email',
      name: 'name',
      firstName: 'given_name',
      lastName: 'family_name',
      groups: 'groups',
    },
  })
  expect(preset('google')).toMatchObject({
    authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    userInfoUrl: 'https://openidconnect.googleapis.com/v1/userinfo',
  })
  expect(preset('google-saml')).toMatchObject({ scopes: '', attributeMapping: { firstName: 'first_name' } })
  expect(preset('google-saml')).not.toHaveProperty('metadataUrlTemplate')
  for (const one of body.data.filter(({ type }) => type === 'saml')) expect(one.certificateInstructions).toBeTruthy()
})

test('a provider is created, discovered, changed and removed, each with an audit event', async () => {
  await using scene = await sceneWithProvider()
  const { app, idp, org, admin, create, read, list, update, remove, settings, row } = scene
  const made = await create({ ...settings, issuer: `${idp.issuer}/`, allowedDomains: ' @Corp.test, other.test. ' })
  expect([made.status, made.body]).toEqual([
    201,
    {
      data: {
        id: expect.any(String),
        orgId: org.id,
        partnerId: null,
        name: 'Corp',
        type: 'oidc',
        status: 'inactive',
        issuer: idp.issuer,
        clientId: idp.clientId,
        hasClientSecret: true,
        authorizationUrl: `${idp.issuer}/auth`,
        tokenUrl: `${idp.issuer}/token`,
        userInfoUrl: `${idp.issuer}/me`,
        jwksUrl: `${idp.issuer}/jwks`,
        scopes: 'openid profile email',
        entityId: null,
        ssoUrl: null,
        certificate: null,
        attributeMapping: { email: 'email', name: 'name' },
        autoProvision: true,
        defaultRoleId: null,
        defaultRoleConfiguredBy: null,
        allowedDomains: ' @Corp.test, other.test. ',
        enforceSSO: false,
        trustsIdpMfa: false,
        configVersion: 1,
        discoveryError: null,
        network: 'private-allowlisted',
        createdBy: admin.userId,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    },
  ])
  const { id } = made.body.data
  expect(JSON.parse(row(id)?.discovery_metadata ?? '')).toMatchObject({ issuer: idp.issuer })
  expect((await read(id)).body).toEqual(made.body)
  expect((await list()).body.data).toEqual([
    {
      id,
      name: 'Corp',
      type: 'oidc',
      status: 'inactive',
      issuer: idp.issuer,
      autoProvision: true,
      enforceSSO: false,
      trustsIdpMfa: false,
      network: 'private-allowlisted',
      createdAt: made.body.data.createdAt,
    },
  ])
  app.clock.advance(1000)
  const attributeMapping = { email: 'upn', name: 'name', firstName: 'given', groups: '' }
  const changed = await update(id, { name: 'Head office', attributeMapping, scopes: 'profile', clientSecret: 'next' })
  expect(changed.body.data).toMatchObject({
    name: 'Head office',
    attributeMapping: { email: 'upn', name: 'name', firstName: 'given' },
    scopes: 'openid profile',
    configVersion: 2,
  })
  expect(changed.body.data.updatedAt > made.body.data.updatedAt).toBe(true)
  await refuses(app, () => update(id, {}), [400, 'No updates provided'])
  await refuses(app, () => update(id, { ownerScope: 'partner', orgId: randomUUID(), preset: 'okta' } as object), [
    400,
    'No updates provided',
  ])
  expect((await remove(id)).body).toEqual({ success: true })
  expect(statusAndError(await read(id))).toEqual([404, 'Provider not found'])
  expect(auditOf(app, 'sso.provider.create')[0]).toMatchObject({
    org_id: org.id,
    resource_id: id,
    details: { type: 'oidc', status: 'inactive', partnerId: null },
  })
  expect(auditOf(app, 'sso.provider.update').map(({ details }) => details)).toEqual([
    {
      changedFields: ['name', 'clientSecret', 'scopes', 'attributeMapping'],
      before: { name: 'Corp', scopes: 'openid profile email' },
      after: { name: 'Head office', scopes: 'openid profile' },
      partnerId: null,
    },
  ])
  expect(auditOf(app, 'sso.provider.delete')).toHaveLength(1)
})

test('without name resolution a provider can be entered by hand, and nothing entered is lost', async () => {
  await using scene = await providerScene()
  const { create, update, setStatus } = scene
  const made = await create({ issuer: nowhere, clientId: 'homeport', clientSecret: secret })
  expect(made.status).toBe(201)
  const message = expect.stringContaining('idp.invalid')
  expect(made.body.warnings).toEqual([{ code: 'oidc_discovery_failed', message }])
  expect(made.body.data).toMatchObject({
    authorizationUrl: null,
    tokenUrl: null,
    jwksUrl: null,
    discoveryError: message,
  })
  const { id } = made.body.data
  const early = await setStatus(id, 'active')
  expect([early.status, early.body.warnings?.[0]?.code]).toEqual([200, 'provider_incomplete'])
  expect(early.body.warnings?.[0]?.message).toContain('token endpoint')
  const entered = await update(id, endpoints())
  expect([entered.status, entered.body.warnings]).toEqual([200, undefined])
  expect(entered.body.data).toMatchObject({ ...endpoints(), hasClientSecret: true, discoveryError: null })
  const active = await setStatus(id, 'active')
  expect([active.status, active.body.warnings, active.body.data.status]).toEqual([200, undefined, 'active'])
})

test('the form of the public web client is accepted when created and when saved again', async () => {
  await using scene = await providerScene()
  const { org, create, update } = scene
  const form = {
    name: 'Corp',
    type: 'oidc',
    issuer: '',
    clientId: '',
    clientSecret: '',
    scopes: '',
    attributeMapping: { email: 'email', name: 'name', firstName: '', lastName: '', groups: '' },
    autoProvision: true,
    defaultRoleId: '',
    allowedDomains: '',
    enforceSSO: false,
    trustsIdpMfa: false,
    preset: 'azure',
    partnerId: randomUUID(),
    anything: 'else',
  } as const
  const made = await create({ ...form, orgId: undefined } as object, { orgId: org.id })
  expect(made.status).toBe(201)
  expect(made.body.data).toMatchObject({
    orgId: org.id,
    partnerId: null,
    issuer: null,
    clientId: null,
    hasClientSecret: false,
    scopes: 'openid profile email',
    attributeMapping: { email: 'email', name: 'name' },
    defaultRoleId: null,
    allowedDomains: null,
  })
  const again = await update(made.body.data.id, { ...form, name: 'Corp 2' } as object)
  expect([again.status, again.body.data.name, again.body.warnings]).toEqual([200, 'Corp 2', undefined])
})

test('a preset fills only blank fields', async () => {
  await using scene = await providerScene()
  const { create } = scene
  const made = async (body: object) => (await create(body)).body.data
  const okta = await made({ preset: 'okta', scopes: ' ' })
  expect(okta).toMatchObject({
    issuer: null,
    scopes: 'openid profile email groups',
    attributeMapping: { groups: 'groups' },
  })
  const own = { email: 'mail', name: 'cn' }
  expect(await made({ preset: 'okta', scopes: 'openid', attributeMapping: own })).toMatchObject({
    scopes: 'openid',
    attributeMapping: own,
  })
  // The issuer is the same for all customers, so the preset has no placeholder.
  expect((await made({ preset: 'google' })).issuer).toBe('https://accounts.google.com')
  expect((await made({ preset: 'google', issuer: nowhere })).issuer).toBe(nowhere)
  expect(await made({ preset: 'nobody-knows' })).toMatchObject({ attributeMapping: { email: 'email', name: 'name' } })
  const adfs = await made({
    type: 'saml',
    preset: 'adfs-saml',
    entityId: 'urn:corp',
    ssoUrl: 'https://adfs.test/ls',
    certificate: ' PEM ',
  })
  expect(adfs).toMatchObject({ type: 'saml', entityId: 'urn:corp', ssoUrl: 'https://adfs.test/ls', certificate: 'PEM' })
  expect(adfs.attributeMapping.email).toContain('schemas.xmlsoap.org')
})

test('a client secret that looks sealed is sealed like any other and decrypts to its original', async () => {
  await using scene = await providerScene()
  const { app, create, update, row } = scene
  const { encrypt, decrypt } = openSecrets(app.dataDir, app.config.secrets)
  const opened = (id: string) => decrypt(row(id)?.client_secret ?? '', `sso_providers.client_secret ${id}`)
  const alike = encrypt('something else', 'somewhere else')
  const { id } = (await create({ clientSecret: alike })).body.data
  expect(row(id)?.client_secret).not.toBe(alike)
  expect(opened(id)).toBe(alike)
  await update(id, { clientSecret: row(id)?.client_secret ?? '' })
  expect(opened(id)).not.toBe(alike)
  // It cannot be used for another provider.
  const other = (await create({})).body.data.id
  app.db.run(
    q
      .updateTable('sso_providers')
      .set({ client_secret: row(id)?.client_secret ?? '' })
      .where('id', '=', other),
  )
  expect(() => opened(other)).toThrow()
  expect((await scene.read(other)).body.data.hasClientSecret).toBe(true)
  expect((await update(id, { clientSecret: '' })).body.data.hasClientSecret).toBe(false)
})

test('no answer and no event contains the client secret, sealed or not', async () => {
  await using scene = await sceneWithProvider()
  const { app, create, read, list, update, setStatus, settings, row } = scene
  const made = await create(settings)
  const { id } = made.body.data
  const sealed = row(id)?.client_secret ?? ''
  const answers = [
    made,
    await read(id),
    await list(),
    await update(id, { clientSecret: secret }),
    await setStatus(id, 'active'),
    await scene.test(id),
  ]
  const text = JSON.stringify(answers) + JSON.stringify(app.db.all(q.selectFrom('audit_logs').selectAll()))
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 200])
  for (const untold of [secret, sealed, row(id)?.client_secret ?? '', 'v1:']) expect(text).not.toContain(untold)
})

test('an issuer that cannot be discovered changes no column, and the attempt is recorded', async () => {
  await using scene = await sceneWithProvider()
  const { app, idp, create, update, settings, row } = scene
  const { id } = (await create(settings)).body.data
  const before = row(id)
  const reason = 'the name idp.invalid could not be resolved'
  const wanted = [400, `OIDC discovery failed for issuer "${nowhere}": ${reason}`]
  await refuses(app, () => update(id, { issuer: nowhere, name: 'Elsewhere', clientSecret: 'x' }), wanted)
  expect(row(id)).toEqual(before)
  expect((await update(id, { issuer: nowhere })).body.code).toBe('oidc_discovery_failed')
  expect(auditOf(app, 'sso.provider.update.rejected')[0]).toMatchObject({
    result: 'failure',
    resource_id: id,
    details: { reason, issuer: nowhere, changedFields: ['name', 'issuer', 'clientSecret'], partnerId: null },
  })
  await refuses(app, () => update(id, { issuer: '' }), [400, 'An OIDC provider needs an issuer'])
  // A trailing slash does not change the issuer, so no discovery is needed.
  idp.front.forgetRequests()
  expect((await update(id, { issuer: `${idp.issuer}/` })).body.data.issuer).toBe(idp.issuer)
  expect(idp.front.requests.discovery).toBe(0)
})

test('another issuer is discovered before it is saved, and does not get the old client secret', async () => {
  await using scene = await sceneWithProvider()
  const { idp, create, update, settings } = scene
  const { id } = (await create({ clientSecret: secret })).body.data
  await update(id, { tokenUrl: `${nowhere}/token`, clientSecret: secret })
  const moved = await update(id, { issuer: idp.issuer, jwksUrl: `${nowhere}/keys` })
  expect([moved.status, moved.body.warnings?.map(({ code }) => code)]).toEqual([200, ['client_secret_cleared']])
  expect(moved.body.data).toMatchObject({
    issuer: idp.issuer,
    tokenUrl: `${idp.issuer}/token`,
    // Explicit values have precedence.
    jwksUrl: `${nowhere}/keys`,
    hasClientSecret: false,
  })
  const kept = await update(id, { tokenUrl: `${nowhere}/t`, clientSecret: secret })
  expect([kept.body.data.hasClientSecret, kept.body.warnings]).toEqual([true, undefined])
  expect((await update(id, { tokenUrl: `${nowhere}/another` })).body.data.hasClientSecret).toBe(true)
  // Clearing the endpoint first does not keep the secret either.
  expect((await update(id, { tokenUrl: '' })).body.data).toMatchObject({ tokenUrl: null, hasClientSecret: false })
  const renewed = await update(id, { rediscover: true, ...settings })
  expect(renewed.body.data).toMatchObject({ tokenUrl: `${idp.issuer}/token`, jwksUrl: `${idp.issuer}/jwks` })
})

test('saving again retries a failed discovery and keeps what was entered meanwhile', async () => {
  await using scene = await sceneWithProvider()
  const { idp, create, update, settings } = scene
  idp.front.tamper('discovery', () => ({ status: 503 }))
  const made = await create(settings)
  const { id } = made.body.data
  expect(made.body.warnings?.[0]?.message).toContain('503')
  await update(id, { tokenUrl: `${idp.issuer}/elsewhere-token` })
  const still = await update(id, settings)
  expect([still.status, still.body.warnings?.[0]?.code]).toEqual([200, 'oidc_discovery_failed'])
  expect(still.body.data).toMatchObject({ discoveryError: expect.stringContaining('503'), configVersion: 3 })
  idp.front.beHonest()
  // Saved without the issuer, nothing is discovered.
  expect((await update(id, { name: 'Same' })).body.data.jwksUrl).toBeNull()
  const found = await update(id, { ...settings, jwksUrl: '' })
  expect(found.body.warnings).toBeUndefined()
  expect(found.body.data).toMatchObject({
    tokenUrl: `${idp.issuer}/elsewhere-token`,
    jwksUrl: `${idp.issuer}/jwks`,
    discoveryError: null,
  })
  idp.front.forgetRequests()
  await update(id, settings)
  expect(idp.front.requests.discovery).toBe(0)
})

test('an endpoint at a forbidden address is refused', async () => {
  await using scene = await providerScene()
  const { app, create, update } = scene
  const { id } = (await create({})).body.data
  for (const [field, url] of [
    ['tokenUrl', 'http://idp.invalid/token'],
    ['tokenUrl', 'https://127.0.0.1/token'],
    ['jwksUrl', 'https://169.254.169.254/keys'],
    ['userInfoUrl', 'https://[::ffff:10.0.0.1]/me'],
    ['authorizationUrl', `${nowhere}/authorize?state=x`],
    ['authorizationUrl', 'https://user:word@idp.invalid/'],
  ] as const) {
    const before = storedState(app)
    const { status, body } = await update(id, { name: 'Other', [field]: url })
    expect([status, body.code], url).toEqual([400, 'unsafe_endpoint'])
    expect(body.error).toMatch(new RegExp(`^${field}: `))
    expect(storedState(app)).toEqual(before)
  }
  const blocked = await create({ issuer: 'https://10.0.0.1' })
  expect(blocked.body.warnings?.[0]?.message).not.toMatch(/resolves to 1/)
  expect(blocked.body.data.authorizationUrl).toBeNull()
})

test('settings that could not work for a sign-in are refused', async () => {
  await using scene = await providerScene()
  const { app, create, update } = scene
  const { id } = (await create({})).body.data
  const bad: [object, string][] = [
    [{ allowedDomains: ' , ' }, 'allowedDomains'],
    [{ allowedDomains: 'localhost *' }, 'allowedDomains'],
    [{ enforceSSO: true, type: 'saml' }, 'enforceSSO'],
    [{ issuer: 'corp' }, 'issuer'],
    [{ name: ' ' }, 'name'],
    [{ clientSecret: 'x'.repeat(4097) }, 'clientSecret'],
    [{ scopes: 'x'.repeat(495) }, 'scopes'],
    [{ attributeMapping: { email: ' ', name: 'name' } }, 'attributeMapping'],
    [{ defaultRoleId: 'admin' }, 'defaultRoleId'],
  ]
  for (const [wanted, field] of bad)
    for (const call of [() => create(wanted), () => update(id, wanted)]) {
      const before = storedState(app)
      const { status, body } = await call()
      expect([status, body.code], field).toEqual([400, 'validation_failed'])
      expect(body.error, field).toMatch(new RegExp(`^${field}`))
      expect(storedState(app), field).toEqual(before)
    }
  await update(id, { enforceSSO: true })
  expect((await update(id, { type: 'saml' })).status).toBe(400)
})

test('any status can follow any other or itself, and each change invalidates sign-ins in progress', async () => {
  await using scene = await sceneWithProvider()
  const { app, create, setStatus, settings } = scene
  const { id } = (await create(settings)).body.data
  const steps = ['testing', 'active', 'active', 'inactive', 'active', 'testing', 'inactive'] as const
  for (const [at, status] of steps.entries()) {
    const answer = await setStatus(id, status)
    expect([answer.status, answer.body.data.status, answer.body.data.configVersion]).toEqual([200, status, at + 2])
    expect(answer.body.warnings).toBeUndefined()
  }
  expect((await setStatus(id, 'on' as 'active')).status).toBe(400)
  const events = auditOf(app, 'sso.provider.status.update').map(({ details }) => details.status)
  expect(events).toEqual([...steps])
})

test('activating an incomplete provider warns about what is missing', async () => {
  await using scene = await providerScene()
  const { create, setStatus } = scene
  const warned = async (body: object) => {
    const { id } = (await create(body)).body.data
    return (await setStatus(id, 'active')).body.warnings
  }
  expect(await warned({})).toEqual([
    {
      code: 'provider_incomplete',
      message:
        'Nobody can sign in through it yet: it has no client ID, client secret, issuer, authorization endpoint, token endpoint, or key set',
    },
  ])
  expect((await warned({ type: 'saml' }))?.[0]?.message).toContain('SAML')
})

test('deleting a provider deletes its sign-ins, codes and connections, or nothing at all', async () => {
  await using scene = await sceneWithProvider()
  const { app, admin, create, remove, settings } = scene
  const { id } = (await create(settings)).body.data
  const foreign = await otherCompany(app)
  const session = app.db.first(q.selectFrom('sessions').select('id').where('user_id', '=', foreign.admin.id))
  const at = new Date(app.clock.now()).toISOString()
  const now = { created_at: at, updated_at: at }
  const passing = { provider_id: id, provider_version: 1, created_at: at, expires_at: '2099-01-01T00:00:00.000Z' }
  app.db.transaction(() => {
    for (const [user_id, external_id] of [
      [admin.userId, 'a'],
      [foreign.admin.id, 'b'],
    ] as const)
      app.db.run(
        q.insertInto('user_sso_identities').values({ id: randomUUID(), user_id, provider_id: id, external_id, ...now }),
      )
    app.db.run(
      q.insertInto('sso_sessions').values({
        ...passing,
        id: randomUUID(),
        state: 'state',
        nonce: 'nonce',
        code_verifier: 'verifier',
        redirect_url: '/',
        mode: 'login',
      }),
    )
    app.db.run(
      q.insertInto('sso_exchange_grants').values({
        ...passing,
        id: randomUUID(),
        code_digest: 'digest',
        user_id: admin.userId,
        membership_id: 'x',
        mfa: 0,
        auth_epoch: 1,
        mfa_epoch: 1,
      }),
    )
    app.db.run(
      q
        .updateTable('sessions')
        .set({ sso_provider_id: id })
        .where('id', '=', session?.id ?? ''),
    )
  })
  const counts = () => {
    const { sso_providers, sso_sessions, sso_exchange_grants, user_sso_identities, sessions } = app.rowCounts()
    return { sso_providers, sso_sessions, sso_exchange_grants, user_sso_identities, sessions }
  }
  const before = counts()
  app.db
    .statement(
      "CREATE TEMP TRIGGER stop BEFORE DELETE ON main.user_sso_identities WHEN old.external_id = 'b' BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    .run()
  expect((await remove(id)).status).toBe(500)
  expect(counts()).toEqual(before)
  expect(auditOf(app, 'sso.provider.delete')).toEqual([])
  app.db.statement('DROP TRIGGER temp.stop').run()
  expect((await remove(id)).body).toEqual({ success: true })
  // Users who signed in with it stay signed in.
  expect(counts()).toEqual({
    sso_providers: 0,
    sso_sessions: 0,
    sso_exchange_grants: 0,
    user_sso_identities: 0,
    sessions: before.sessions,
  })
})

test('a test discovers the issuer again, reports differences, saves nothing, and is recorded', async () => {
  await using scene = await sceneWithProvider()
  const { app, idp, create, update, settings, row } = scene
  const { id } = (await create(settings)).body.data
  const discovery = {
    issuer: idp.issuer,
    authorizationEndpoint: `${idp.issuer}/auth`,
    tokenEndpoint: `${idp.issuer}/token`,
    userInfoEndpoint: `${idp.issuer}/me`,
    jwksUri: `${idp.issuer}/jwks`,
  }
  const well = await scene.test(id)
  expect([well.status, well.body]).toEqual([
    200,
    { success: true, message: expect.any(String), discovery, drift: [], network: 'private-allowlisted' },
  ])
  await update(id, { jwksUrl: `${nowhere}/keys`, userInfoUrl: '' })
  const before = row(id)
  expect((await scene.test(id)).body).toMatchObject({ success: true, drift: ['jwksUrl'] })
  idp.front.tamper('discovery', () => ({ status: 500 }))
  const failed = await scene.test(id)
  expect([failed.status, failed.body]).toMatchObject([
    400,
    { success: false, error: expect.stringMatching(/^OIDC discovery failed: .*500/) },
  ])
  expect(row(id)).toEqual(before)
  const events = app.db.all(q.selectFrom('audit_logs').select(['result']).where('action', '=', 'sso.provider.test'))
  expect(events.map(({ result }) => result)).toEqual(['success', 'success', 'failure'])
  const bare = (await create({})).body.data.id
  const saml = (await create({ type: 'saml', issuer: idp.issuer })).body.data.id
  const unfit = await scene.test(bare)
  expect([unfit.status, unfit.body]).toMatchObject([400, { success: false, error: 'Provider is not fully configured' }])
  expect(statusAndError(await scene.test(saml))).toEqual([400, 'Only OIDC providers can be tested'])
})

test('discovery is limited to ten a minute', async () => {
  await using scene = await providerScene({ HOMEPORT_LIMIT_SSO_PROBE: '10/60' })
  const { app, create, update, org } = scene
  const made = await Promise.all(Array.from({ length: 10 }, () => create({ issuer: nowhere })))
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]))
  const id = made[0]?.body.data.id ?? ''
  const tooMany = [429, 'Too many requests']
  await refuses(app, () => create({ issuer: nowhere }), tooMany)
  await refuses(app, () => update(id, { issuer: 'https://other.invalid' }), tooMany)
  await refuses(app, () => scene.test(id), tooMany)
  // Calls without discovery still work.
  expect((await update(id, { name: 'Other' })).status).toBe(200)
  const colleague = await scene.somebody({ email: 'c@x.test', scope: 'partner', partnerId: scene.admin.partnerId })
  expect((await colleague.create({ issuer: nowhere, orgId: org.id })).status).toBe(201)
})

test('ten simultaneous changes all count', async () => {
  await using scene = await sceneWithProvider()
  const { app, idp, create, update, list, settings, row } = scene
  const ten = Array.from({ length: 10 }, (_, n) => n)
  const made = await Promise.all(ten.map((n) => create({ ...settings, name: `Corp ${n}` })))
  expect(made.map(({ status, body }) => [status, body.data.tokenUrl])).toEqual(
    ten.map(() => [201, `${idp.issuer}/token`]),
  )
  expect((await list()).body.data).toHaveLength(10)
  const id = made[0]?.body.data.id ?? ''
  const fields = ten.map((n) => (n % 2 ? { name: `Name ${n}` } : { rediscover: true, clientId: `client-${n}` }))
  expect(new Set((await Promise.all(fields.map((body) => update(id, body)))).map(({ status }) => status))).toEqual(
    new Set([200]),
  )
  expect(row(id)?.config_version).toBe(11)
  expect(row(id)?.name).toMatch(/^Name/)
  expect(row(id)?.client_id).toMatch(/^client-/)
  expect(auditOf(app, 'sso.provider.update')).toHaveLength(10)
})

test('nothing is saved by a user who loses the provider during discovery', async () => {
  await using scene = await sceneWithProvider()
  const { app, idp, org, create, update, remove, settings } = scene
  const { id } = (await create({})).body.data
  let answer = () => {}
  idp.front.tamper('discovery', async ({ json }) => {
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return { body: JSON.stringify(json) }
  })
  const asked = () => expect.poll(() => idp.front.requests.discovery).toBeGreaterThan(0)
  const slow = update(id, settings)
  await asked()
  await remove(id)
  answer()
  expect(statusAndError(await slow)).toEqual([404, 'Provider not found'])
  idp.front.forgetRequests()
  const slower = create(settings)
  await asked()
  setOrganization(app, org.id, { status: 'archived' })
  answer()
  expect((await slower).status).toBe(409)
  expect(app.rowCounts().sso_providers).toBe(0)
})

test('an issuer that changes during discovery is judged by its new value', async () => {
  await using scene = await sceneWithProvider()
  const { app, idp, create, update, settings, row } = scene
  idp.front.tamper('discovery', () => ({ status: 503 }))
  const { id } = (await create(settings)).body.data
  // As if somebody else had saved it in between.
  idp.front.tamper('discovery', () => {
    app.db.run(
      q
        .updateTable('sso_providers')
        .set({ issuer: nowhere, token_url: `${nowhere}/token` })
        .where('id', '=', id),
    )
    return { status: 503 }
  })
  expect((await update(id, { issuer: idp.issuer })).body.code).toBe('oidc_discovery_failed')
  expect(row(id)).toMatchObject({ issuer: nowhere, token_url: `${nowhere}/token`, config_version: 1 })
})
