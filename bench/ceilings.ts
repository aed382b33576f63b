import { monitorEventLoopDelay } from 'node:perf_hooks'
import { verify } from 'argon2'
import SQLite from 'better-sqlite3'
import { type FastifyRequest, fastify } from 'fastify'
import { jwtVerify } from 'jose'

/**
 * The yardsticks, a process of its own: how fast this machine is when a server does next to nothing (a constant body),
 * and when it does the least a list can be: check a token, run one prepared statement, stringify fifty rows. No
 * tenants, no permissions, no total, no validation, no revocation. For signing in they are a token check that answers
 * nothing, and the hash of a password alone.
 */

const db = new SQLite(process.argv[2], { readonly: true })
db.pragma('cache_size = -65536')
db.pragma('mmap_size = 268435456')
const key = new TextEncoder().encode(process.env.JWT_SECRET)
const constantBody = JSON.stringify({ data: 'x'.repeat(5 * 1024 - 11) })

const organizations = db.prepare(
  `SELECT id, partner_id, name, slug, type, status, max_devices, settings, sso_config, contract_start, contract_end,
     billing_contact, currency_code, offboarding_started_at, offboarding_target, archived_at, purge_at, created_at,
     updated_at, deleted_at, device_count
   FROM organizations ORDER BY created_at, id LIMIT 50`,
)
const devices = db.prepare(
  `SELECT d.id, d.org_id, o.name AS org_name, d.site_id, s.name AS site_name, d.agent_id, d.hostname, d.display_name,
     d.os_type, d.os_version, d.os_build, d.architecture, d.agent_version, d.watchdog_version, d.agent_server_url,
     d.device_role, d.device_role_source, d.is_virtual, d.virtualization_platform, d.status, d.watchdog_status,
     d.main_agent_silent_since, d.pending_reboot, d.last_seen_at, d.wan_ip, d.lan_ip, d.enrolled_at, d.tags,
     d.custom_fields, d.last_user, d.uptime_seconds, d.is_headless, d.battery_status,
     d.possible_replacement_of_device_id, d.maintenance_until, d.cpu_percent, d.ram_percent, d.metrics_at,
     d.created_at, d.updated_at, h.cpu_model, h.cpu_cores, h.ram_total_mb, h.disk_total_gb
   FROM devices d
   JOIN organizations o ON o.id = d.org_id JOIN sites s ON s.id = d.site_id
   LEFT JOIN device_hardware h ON h.device_id = d.id
   ORDER BY d.last_seen_at DESC, d.id LIMIT 50`,
)

async function checkToken(request: FastifyRequest): Promise<void> {
  await jwtVerify(request.headers.authorization?.slice(7) ?? '', key, { algorithms: ['HS256'] })
}

const app = fastify()
app.get('/constant', (_request, reply) => reply.type('application/json').send(constantBody))
app.get('/organizations', { onRequest: checkToken }, (_request, reply) =>
  reply.type('application/json').send(JSON.stringify({ data: organizations.all() })),
)
app.get('/devices', { onRequest: checkToken }, (_request, reply) =>
  reply.type('application/json').send(JSON.stringify({ data: devices.all() })),
)
app.get('/token-only', { onRequest: checkToken }, (_request, reply) => reply.type('application/json').send('{}'))
const { password_hash: passwordHash } = db.prepare('SELECT password_hash FROM users').get() as { password_hash: string }
app.post('/password-only', async (request) => {
  const { password } = request.body as { password: string }
  return { matches: await verify(passwordHash, password) }
})
/** While nobody asks for the rest: how long this process had to wait for its core, ms since the last question. */
const samplingMs = 10
const delay = monitorEventLoopDelay({ resolution: samplingMs })
app.get('/delay', () => {
  const longest = delay.max / 1e6 - samplingMs
  delay.reset()
  delay.enable()
  return String(longest)
})
process.send?.({ type: 'ready', loopbackOrigin: await app.listen({ host: '127.0.0.1', port: 0 }) })
process.once('disconnect', () => process.exit())
