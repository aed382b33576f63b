import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { LiveLinks } from './link-checks.ts'
import { MailAdmin } from './mail-admin.ts'
import { createMailQueue, type MailQueue } from './mail-queue.ts'
import { MailSettings } from './mail-settings.ts'
import { MailWriter } from './mail-writer.ts'
import { Mailer } from './mailer.ts'
import { createSms } from './sms.ts'
import { SmsSettings } from './sms-settings.ts'

export type Messaging = ReturnType<typeof createMessaging>['api']

/** Mail and text messages. Their routes need `authentication`, which needs mail: `app.ts` adds them. */
export function createMessaging({
  config,
  db,
  tasks,
  clock,
  log,
  secrets,
  audit,
  limits,
  destinations,
  addresses,
}: Services) {
  const home = () => addresses()[0] ?? ''
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
  const api = {
    audit,
    limits,
    mailSettings,
    queue,
    writer,
    liveLinks,
    mailDelivery: mailSettings.delivery,
    mailer: new Mailer(queue),
    mailAdmin: new MailAdmin({ db, clock, audit, limits, writer, tasks, queue }),
    smsSettings,
    sms: createSms(smsSettings, log),
  }
  return { api } satisfies Module
}
