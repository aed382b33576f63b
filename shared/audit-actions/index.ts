import { accessActions } from './access.ts'
import { agentsActions } from './agents.ts'
import { apiKeysActions } from './api-keys.ts'
import { auditLogActions } from './audit-log.ts'
import { authenticationActions } from './authentication.ts'
import { backupActions } from './backup.ts'
import { commandsActions } from './commands.ts'
import { componentsActions } from './components.ts'
import { configurationPoliciesActions } from './configuration-policies.ts'
import { contactsActions } from './contacts.ts'
import { deviceGroupsActions } from './device-groups.ts'
import { devicesActions } from './devices.ts'
import { enrollmentKeysActions } from './enrollment-keys.ts'
import { lifecycleActions } from './lifecycle.ts'
import { loginBrandingActions } from './login-branding.ts'
import { messagingActions } from './messaging.ts'
import { organizationMergeActions } from './organization-merge.ts'
import { organizationsActions } from './organizations.ts'
import { partnersActions } from './partners.ts'
import { peopleActions } from './people.ts'
import { psaActions } from './psa.ts'
import { sitesActions } from './sites.ts'
import { ssoActions } from './sso.ts'
import { systemActions } from './system.ts'

/**
 * Every action that the audit log knows, with the words the console shows for it. Each feature declares its own; the
 * filter of the log lists them in this order.
 */
export const auditActions = {
  ...authenticationActions,
  ...peopleActions,
  ...accessActions,
  ...apiKeysActions,
  ...auditLogActions,
  ...devicesActions,
  ...agentsActions,
  ...commandsActions,
  ...deviceGroupsActions,
  ...enrollmentKeysActions,
  ...organizationsActions,
  ...lifecycleActions,
  ...organizationMergeActions,
  ...sitesActions,
  ...contactsActions,
  ...partnersActions,
  ...loginBrandingActions,
  ...configurationPoliciesActions,
  ...backupActions,
  ...componentsActions,
  ...psaActions,
  ...ssoActions,
  ...messagingActions,
  ...systemActions,
} as const

type Prefixes<Name extends string> = Name extends `${infer First}.${infer Rest}`
  ? First | `${First}.${Prefixes<Rest>}`
  : never

/** Commands are recorded by their type; all read “Sent a command: …” unless they have words of their own. */
export type AuditAction = keyof typeof auditActions | `agent.command.${string}`
/** What a contract names: an action, or the beginning of several, such as `device.maintenance`. */
export type AuditActionFamily = AuditAction | Prefixes<keyof typeof auditActions>
/** The last part of the actions of a family: `create` of `site.create`. */
export type AuditActionOf<Family extends string> = keyof typeof auditActions extends infer Action
  ? Action extends `${Family}.${infer Last}`
    ? Last
    : never
  : never
