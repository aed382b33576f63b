import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import type { Organization } from '../../../shared/api/organizations.ts'
import { countQuery } from '../../data/audit-log.ts'
import { type AuditRetention, auditRetentionQuery, saveAuditRetention } from '../../data/audit-retention.ts'
import { isFrozen } from '../../domain/organizations/frozen.ts'
import { plural } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { dayMs } from '../../lib/now.ts'
import { inRange, type NumberRange } from '../../lib/number-range.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SavePanel } from '../../ui/save-panel.tsx'

/** Ten years. */
const range: NumberRange = { min: 1, max: 3650 }

/** How long the events of an organization are kept; for users who may read them. */
export function RetentionPanel({ organization }: { organization: Organization }) {
  const me = useMe()
  const retention = useQuery({ ...auditRetentionQuery(organization.id), enabled: can(me, 'audit:read') }).data
  if (!retention) return null
  const isEditable = can(me, 'audit:manage') && !isFrozen(organization)
  return <RetentionForm organization={organization} retention={retention} isEditable={isEditable} />
}

interface Props {
  organization: Organization
  retention: AuditRetention
  isEditable: boolean
}

function RetentionForm({ organization: { id, name }, retention, isEditable }: Props) {
  const former = retention.retentionDays
  const form = useForm({
    initialValues: { retentionDays: former as number | string },
    validate: { retentionDays: inRange(range) },
  })
  const { mutationFn, onSuccess } = saveAuditRetention(id)
  const saving = useFormSubmission(form, {
    mutationFn: async ({ retentionDays }) => {
      const days = Number(retentionDays)
      if (days < former && !(await confirmLoss(id, name, days))) return null
      return mutationFn(days)
    },
    onSuccess: (saved) => {
      if (!saved) return
      onSuccess(saved)
      form.setInitialValues({ retentionDays: saved.retentionDays })
      form.reset()
      notifyDone(`Events of ${name} are kept for ${plural(saved.retentionDays, 'day')}`)
    },
  })
  return (
    <SavePanel
      title="Audit log"
      onSubmit={saving.submit}
      onDiscard={saving.discard}
      isEditable={isEditable}
      isDirty={form.isDirty()}
      isPending={saving.isPending}
    >
      <FormError error={saving.error} />
      <NumberField
        label="Retention (days)"
        description="Older events are removed once a day, oldest first."
        range={range}
        readOnly={!isEditable}
        {...form.getInputProps('retentionDays')}
      />
      {retention.lastCleanupAt && (
        <Text size="sm" c="dimmed">
          Last removed <RelativeTime at={retention.lastCleanupAt} />
        </Text>
      )}
    </SavePanel>
  )
}

/** How many events the shorter period removes. */
function Older({ orgId, than }: { orgId: string; than: string }) {
  const total = useQuery(countQuery({ org: orgId, to: than }, undefined)).data
  return (
    <Text size="sm" role="status">
      {total === undefined ? 'Counting events…' : `Older events: ${total === 0 ? 'none' : plural(total, 'event')}.`}
    </Text>
  )
}

const confirmLoss = (id: string, name: string, days: number) =>
  askToConfirm({
    title: `Keep events of ${name} for only ${plural(days, 'day')}?`,
    consequences: [
      'Within a day, older events are permanently removed from the log. Export them first if they may be needed.',
      <Older key="older" orgId={id} than={new Date(Date.now() - days * dayMs).toISOString()} />,
    ],
    confirm: 'Shorten retention',
  })
