import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Destinations } from '../../platform/outbound/index.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { Tasks } from '../../platform/tasks/index.ts'
import { LiveLinks } from './link-checks.ts'
import { MailDesk } from './mail-desk.ts'
import { createMailQueue, type MailQueue } from './mail-queue.ts'
import { MailSettings } from './mail-settings.ts'
import { MailWriter } from './mail-writer.ts'
import { Mailer } from './mailer.ts'
import { createSms } from './sms.ts'
import { SmsSettings } from './sms-settings.ts'

interface Parts {
  config: Config
  db: Database
  tasks: Tasks
  clock: Clock
  log: Log
  secrets: Secrets
  audit: Audit
  limits: RateLimits
  destinations: Destinations
  /** The address of the appliance that links in mail begin with. */
  home: () => string
}

export type Messaging = ReturnType<typeof createMessaging>

/** Mail and text messages, put together: who needs whom. */
export function createMessaging(parts: Parts) {
  const { config, db, tasks, clock, log, secrets, audit, limits, destinations, home } = parts
  const writer = new MailWriter(secrets, home)
  const mailSettings = new MailSettings({
    db,
    secrets,
    audit,
    destinations,
    environment: config.mail,
    dataDir: config.dataDir,
    onChange: () => queue.hurry(),
  })
  const { transport } = mailSettings
  const liveLinks = new LiveLinks(secrets)
  const queue: MailQueue = createMailQueue({ tasks, writer, transport, isLinkLive: liveLinks.isLive })
  const smsSettings = new SmsSettings({ db, secrets, audit, destinations, environment: config.sms })
  return {
    audit,
    limits,
    mailSettings,
    queue,
    writer,
    liveLinks,
    /** Whether mail can leave the appliance. */
    canSendMail: () => transport() !== null,
    mailer: new Mailer(queue),
    desk: new MailDesk({ db, clock, audit, limits, writer, tasks, queue }),
    smsSettings,
    sms: createSms(smsSettings, log),
  }
}
