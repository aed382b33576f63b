import type { Server } from 'node:https'
import { join } from 'node:path'
import cookie from '@fastify/cookie'
import websocket from '@fastify/websocket'
import { type FastifyInstance, type FastifyServerOptions, fastify, LogController } from 'fastify'
import { allEndpoints } from '../shared/api/index.ts'
import { largestFrameBytes } from '../shared/device/socket.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import {
  AgentDirectory,
  agentRoutes,
  agentSocket,
  closeUnauthorized,
  Heartbeats,
  Telemetry,
} from './features/agents/index.ts'
import { ApiKeys, apiKeyRoutes, bringsKey, KeyCallers, KeyUses } from './features/api-keys/index.ts'
import {
  AuditLog,
  AuditReports,
  AuditRetention,
  auditLogJobs,
  auditLogRoutes,
  ChainChecks,
  Chains,
} from './features/audit-log/index.ts'
import {
  CommandDelivery,
  CommandLedger,
  CommandResults,
  Commands,
  commandRoutes,
  Removals,
} from './features/commands/index.ts'
import {
  adoptFormerContacts,
  ContactImport,
  ContactProjections,
  ContactStore,
  Contacts,
  contactRoutes,
  renewContactOrder,
} from './features/contacts/index.ts'
import { Connections } from './features/device-connections/index.ts'
import { createGroups, groupJobs, groupRoutes, groupsOf } from './features/device-groups/index.ts'
import { DeviceList, Devices, deviceJobs, deviceRoutes, Metrics, Presence } from './features/devices/index.ts'
import { Enrollment, EnrollmentKeys, enrollmentRoutes, expireKeysOfSite } from './features/enrollment-keys/index.ts'
import { type Bootstrap, createIdentity, identityRoutes, seedRoles, watchedTables } from './features/identity/index.ts'
import { Inventory, inventoryRoutes, SoftwareReports } from './features/inventory/index.ts'
import {
  Aftermath,
  Archive,
  Drains,
  drainSteps,
  EarlyEnds,
  Erasure,
  lifecycleRoutes,
  OrganizationLife,
  PartnerLife,
  Purge,
  PurgeWarnings,
  purgeSteps,
  Settling,
  TenantJobs,
  tenantSweep,
} from './features/lifecycle/index.ts'
import { brandingRoutes, LoginBranding } from './features/login-branding/index.ts'
import { createMessaging, type MailQueue, messagingJobs, messagingRoutes } from './features/messaging/index.ts'
import { createMerges, mergeRoutes } from './features/organization-merge/index.ts'
import { Organizations, organizationRoutes } from './features/organizations/index.ts'
import { AllPartners, NewPartners, PartnerChanges, Partners, partnerRoutes } from './features/partners/index.ts'
import { PsaConnections, psaRoutes } from './features/psa/index.ts'
import { Sites, siteRoutes } from './features/sites/index.ts'
import { createSso, type Sso, ssoRoutes } from './features/sso/index.ts'
import { AgentFile, ConnectionInfo, MetricsPage, servePages, systemRoutes } from './features/system/index.ts'
import { machineryJobs } from './machinery-jobs.ts'
import { createAudit } from './platform/audit.ts'
import { writeLateEvents } from './platform/audit-later.ts'
import { auditRetries } from './platform/audit-retries.ts'
import { ClientAddresses } from './platform/client-address.ts'
import { type Clock, isoNow } from './platform/clock.ts'
import { sendFailure } from './platform/http/failures.ts'
import { Http, type Identify } from './platform/http/http.ts'
import { answerPlainHttp } from './platform/http/plain-http.ts'
import { Jobs } from './platform/jobs.ts'
import { LiveEvents } from './platform/live.ts'
import type { Log } from './platform/log.ts'
import { Destinations, Names, type Resolve, type Settle, systemResolve } from './platform/outbound/index.ts'
import { Outbox } from './platform/outbox.ts'
import { RateLimits } from './platform/rate-limit.ts'
import type { Secrets } from './platform/secrets.ts'
import type { Tls } from './platform/tls/index.ts'

export interface AppParts {
  config: Config
  db: Database
  clock: Clock
  log: Log
  secrets: Secrets
  tls: Tls | null
  version: string
  /** Where the console and the agent's single file lie, as `npm run build` leaves them. */
  distDir: string
  /** Told every new setup code, to show it where the administrator looks. */
  onSetupCode?: (code: string) => void
  /** For tests: names without the machine's DNS, and no wait before it is said that a server cannot be reached. */
  outbound?: { resolve: Resolve; settle: Settle }
}

export interface App {
  fastify: FastifyInstance
  db: Database
  bootstrap: Bootstrap
  connectionInfo: ConnectionInfo
  sso: Pick<Sso, 'callbackUrl' | 'examineTrust'>
  jobs: Jobs
  outbox: Outbox
  mailQueue: MailQueue
  tenantJobs: TenantJobs
  earlyEnds: EarlyEnds
  telemetry: Telemetry
  /** Starts jobs and deliveries; before, the app answers requests and does nothing by itself. */
  start(): void
  stop(): Promise<void>
}

/** The composition root: every feature, and who needs whom. */
export async function buildApp(parts: AppParts): Promise<App> {
  const { config, db, clock, log, secrets, tls } = parts
  const live = new LiveEvents((deviceId) => groupsOf(db, deviceId))
  const audit = createAudit(db, clock, secrets, auditRetries(db, log), (owner) =>
    live.eventWritten(owner).catch((error) => log.error({ err: error }, 'new audit events not told')),
  )
  const limits = new RateLimits(db, clock, config.limits)
  const outbox = new Outbox(db, clock, log)
  writeLateEvents(outbox, audit)
  const jobs = new Jobs(db, clock, log)
  seedRoles(db, isoNow(clock))

  const names = new Names(parts.outbound?.resolve ?? systemResolve, clock)
  const destinations = new Destinations(names, config.outboundAllowed, parts.outbound?.settle)
  const home = () => connectionInfo.addresses()[0]?.url ?? ''
  const messaging = createMessaging({
    ...parts,
    audit,
    limits,
    destinations,
    home,
    isLinkLive: (kind, linkId) => identity.isLinkLive(kind, linkId),
  })
  const identity = createIdentity({
    ...parts,
    audit,
    limits,
    outbox,
    mailer: messaging.mailer,
    canSendMail: () => messaging.mailSettings.transport() !== null,
    linkTo: (kind, linkId) => messaging.writer.linkTo(kind, linkId),
    sms: messaging.sms,
    addresses: () => connectionInfo.addresses().map(({ url }) => url),
    onSetupCode: (code) => parts.onSetupCode?.(code),
  })
  const { bootstrap, identities, sessions, lockOuts, allowlist } = identity
  // Whoever is signed out somewhere, sees it on every page at once.
  db.onWrite(watchedTables, () => live.sweep().catch((error) => log.error({ err: error }, 'live streams not swept')))

  const allowlistRules = {
    isProxyConfigured: config.proxies.isConfigured,
    isAllowlistEnforced: config.isAllowlistEnforced,
  }
  const connections = new Connections()
  const directory = new AgentDirectory(db, clock, limits)
  const ledger = new CommandLedger(db, clock, audit, live)
  const removals = new Removals(db, clock, ledger)
  const closeSockets = () => closeUnauthorized(connections)
  const settling = new Settling({ db, clock, log, removals, closeSockets })
  const aftermath = new Aftermath({ db, clock, settling, onDrain: (tenant) => earlyEnds.expect(tenant) })
  const organizationLife = new OrganizationLife(db, clock, aftermath)
  const partnerLife = new PartnerLife(db, clock, aftermath)
  const drains = new Drains({
    db,
    clock,
    audit,
    removals,
    settling,
    organizations: organizationLife,
    partners: partnerLife,
    windowHours: config.drainWindowHours,
  })
  const earlyEnds = new EarlyEnds(db, clock, log, drains)
  const tenantJobs = new TenantJobs(db, clock, log)
  const erasure = new Erasure({ db, clock, audit, jobs: tenantJobs, secrets })
  const { merges, mergeRecovery } = createMerges({ ...parts, audit, live, jobs: tenantJobs, erasure, connections })
  const purge = new Purge({ db, clock, audit, jobs: tenantJobs, erasure })
  const purgeWarnings = new PurgeWarnings({ db, clock, audit, mailer: messaging.mailer })
  const archive = new Archive({
    db,
    clock,
    audit,
    life: organizationLife,
    warnings: purgeWarnings,
    defaultRetentionDays: config.archiveRetentionDays,
  })
  const changes = new PartnerChanges(db, allowlistRules, lockOuts.assertNone)
  const partners = new Partners(db, clock, audit, changes, identity.foresee)
  const newPartners = new NewPartners(db, clock, audit)
  const allPartners = new AllPartners({
    db,
    clock,
    audit,
    secrets,
    newPartners,
    changes,
    life: partnerLife,
  })
  const contacts = new ContactStore(db, clock)
  const projections = new ContactProjections(db, contacts)
  adoptFormerContacts(db, projections)
  renewContactOrder(db)
  const organizations = new Organizations({
    db,
    clock,
    audit,
    life: organizationLife,
    projections,
    assertNobodyLockedOut: lockOuts.assertNone,
  })
  const sites = new Sites(db, clock, audit, projections, (siteId) => expireKeysOfSite(db, clock, siteId))
  const groups = createGroups({ db, clock, log, audit, live, sites })
  const psaConnections = new PsaConnections({ db, clock, audit, secrets, limits, destinations })
  const chainChecks = new ChainChecks({ db, clock, log, secrets })
  const auditRetention = new AuditRetention({ db, clock, audit, secrets })
  const sso = createSso({ ...parts, audit, limits, names, identity, home })
  const branding = new LoginBranding({ db, clock, audit, isHosted: config.isHosted, ssoOf: sso.ofPartner })

  const presence = new Presence(db, clock, audit, live, config.heartbeatIntervalSeconds)
  const inventory = new Inventory(db, clock, live, secrets)
  const software = new SoftwareReports(db, clock, live)
  const metrics = new Metrics(db, clock)
  const devices = new Devices(
    { db, clock, audit, live, connections, sites, presence },
    {
      cancelCommands: (deviceId, reason) => results.cancelOpen(deviceId, reason),
      sendUninstall: (deviceId) =>
        connections.send(deviceId, {
          id: `uninstall-${deviceId}`,
          type: 'self_uninstall',
          payload: { removeConfig: true },
        }),
      left: (orgId) => earlyEnds.deviceLeft(orgId),
    },
  )
  const delivery = new CommandDelivery(db, clock, connections, ledger)
  const results: CommandResults = new CommandResults(db, clock, live, devices, ledger)
  const commands = new Commands({ db, clock, outbox, connections, devices, delivery, ledger })
  const keys = new EnrollmentKeys({ db, clock, audit, limits, secrets, sites })
  const { enrollmentSecret } = config
  const enrollment = new Enrollment({
    db,
    clock,
    audit,
    limits,
    secrets,
    live,
    connections,
    inventory,
    enrollmentSecret,
  })

  const telemetry = new Telemetry(db, clock, live, log)
  const trust = {
    caPem: () => tls?.caPem() ?? null,
    trustedFingerprints: () => tls?.trustedFingerprints() ?? [],
  }
  const heartbeats = new Heartbeats({ db, clock, audit, directory, presence, delivery, telemetry, trust })

  const app = fastify(serverOptions(parts))
  const agentFile = new AgentFile(join(parts.distDir, 'agent', 'homeport-agent.mjs'))
  const connectionInfo = new ConnectionInfo(db, config, tls, agentFile, parts.version, () => portOf(app) ?? config.port)
  await app.register(cookie)
  await app.register(websocket, { options: { maxPayload: largestFrameBytes } })
  if (tls) answerPlainHttp(app, () => connectionInfo.addresses().map(({ url }) => url))
  const clients = new ClientAddresses(config.proxies)
  const keyUses = new KeyUses(db, clock, log)
  const keyCallers = new KeyCallers({ db, clock, limits, allowlist, uses: keyUses })
  const identifyUser: Identify['user'] = (request, reply, access) =>
    bringsKey(request) ? keyCallers.identify(request, reply) : identities.identify(request, reply, access)
  const http = new Http(app, { user: identifyUser, device: directory.identify }, limits, clients, config)

  let isReady = false
  identityRoutes(http, identity)
  messagingRoutes(http, messaging, identity.assertOwner)
  auditLogRoutes(http, {
    db,
    audit,
    log: new AuditLog(db),
    reports: new AuditReports(db),
    chains: new Chains(db, audit, chainChecks),
    retention: auditRetention,
    limits,
  })
  apiKeyRoutes(http, new ApiKeys({ db, clock, audit, uses: keyUses }))
  partnerRoutes(http, partners, allPartners)
  organizationRoutes(http, { db, audit, organizations })
  lifecycleRoutes(http, { db, clock, archive, drains })
  mergeRoutes(http, merges)
  siteRoutes(http, sites)
  groupRoutes(http, groups)
  psaRoutes(http, psaConnections)
  brandingRoutes(http, branding, limits)
  ssoRoutes(http, sso)
  contactRoutes(http, new Contacts(db, audit, contacts), new ContactImport({ db, clock, log, audit, store: contacts }))
  deviceRoutes(http, { db, devices, list: new DeviceList(db), metrics, inventory, software, connections })
  commandRoutes(http, commands, delivery, results)
  enrollmentRoutes(http, keys, enrollment, {
    heartbeatIntervalSeconds: config.heartbeatIntervalSeconds,
    caPem: trust.caPem,
  })
  inventoryRoutes(http, inventory, software)
  agentRoutes(http, { db, clock, heartbeats, inventory, heartbeatIntervalSeconds: config.heartbeatIntervalSeconds })
  agentSocket(http, { clock, log, limits, directory, presence, delivery, results, connections })
  systemRoutes(http, {
    version: parts.version,
    isReady: () => isReady,
    jobs,
    audit,
    live,
    identities,
    agentFile,
    connectionInfo,
    metricsPage: new MetricsPage(db, connections, live),
  })
  http.assertComplete(allEndpoints)
  await servePages(app, join(parts.distDir, 'renderer'), () => branding.logoOrigin())

  jobs.add(
    ...deviceJobs(devices, presence, metrics),
    ...groupJobs(groups),
    ...identity.jobs,
    ...messagingJobs(messaging.queue),
    ...sso.jobs,
    ...auditLogJobs(chainChecks, auditRetention, config.isAuditRetentionEnabled),
    ...machineryJobs({ sessions, limits, results, live, connections, tls }),
    tenantSweep(log, [...drainSteps(drains, settling), mergeRecovery, ...purgeSteps(purgeWarnings, purge)]),
  )

  return {
    fastify: app,
    db,
    bootstrap,
    connectionInfo,
    sso,
    jobs,
    outbox,
    mailQueue: messaging.queue,
    tenantJobs,
    earlyEnds,
    telemetry,
    start: () => {
      jobs.start()
      outbox.start()
      groups.dynamic.start()
      messaging.queue.start()
      tenantJobs.start()
      earlyEnds.start()
      isReady = true
    },
    stop: async () => {
      isReady = false
      await chainChecks.stop()
      await jobs.stop()
      await tenantJobs.stop()
      await earlyEnds.stop()
      live.closeAll()
      for (const [, connection] of connections) connection.close(1001, 'the appliance is stopping')
      await app.close()
      presence.stop()
      await groups.dynamic.stop()
      await outbox.stop()
      await messaging.queue.stop()
      await sso.stop()
      await destinations.close()
      await settling.stop()
      await telemetry.flush()
      keyUses.flush()
    },
  }
}

function serverOptions({ tls, log }: AppParts): FastifyServerOptions {
  const options: FastifyServerOptions = {
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // Addresses so broken that no route is looked for.
    frameworkErrors: (error, request, reply) => sendFailure(error, request, reply),
    requestIdHeader: false,
    genReqId: nextRequestId,
    trustProxy: false,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 300 },
    // A slow client must not hold a socket for ever.
    requestTimeout: 60_000,
    keepAliveTimeout: 75_000,
  }
  return tls ? ({ ...options, https: tls.secureContext() } as FastifyServerOptions) : options
}

/** The certificate may change while the server runs: new connections get the new one. */
export const renewCertificate = (app: FastifyInstance, context: { key: string; cert: string }): void =>
  (app.server as unknown as Server).setSecureContext(context)

let requests = 0
const start = Date.now().toString(36)
const nextRequestId = () => `${start}-${(++requests).toString(36)}`

function portOf(app: FastifyInstance): number | undefined {
  const address = app.server.address()
  return typeof address === 'object' && address !== null ? address.port : undefined
}
