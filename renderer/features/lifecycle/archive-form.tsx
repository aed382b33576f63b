import { NumberInput, Radio, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { retentionDays } from '../../../shared/api/lifecycle.ts'
import type { Organization } from '../../../shared/api/organizations.ts'
import { archiveOrganizationMutation } from '../../data/lifecycle.ts'
import { useDeviceCount } from '../../domain/organizations/use-device-count.ts'
import { dateOnly } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { dayMs, useNow } from '../../lib/now.ts'
import { ConfirmActionForm } from './confirm-action-form.tsx'
import { Consequences } from './consequences.tsx'
import { needsTypedName } from './lifecycle-actions.ts'

interface Props {
  organization: Organization
  onClose: () => void
}

const defaultDays = 90

export function ArchiveForm({ organization: { id, name, status }, onClose }: Props) {
  const [isKept, setKept] = useState(false)
  const [daysText, setDaysText] = useState<number | string>(defaultDays)
  const isNameNeeded = needsTypedName('archive', useDeviceCount(id))
  const now = useNow()
  const { success: isValid, data: days = defaultDays } = retentionDays.safeParse(daysText)
  const { mutationFn, onSuccess } = archiveOrganizationMutation(id)
  const archive = useMutation({
    mutationFn,
    onSuccess: (reply) => {
      onClose()
      notifyDone(reply.status === 'archived' ? `${name} is archived` : `${name} is on its way to the archive`)
      return onSuccess()
    },
  })
  return (
    <ConfirmActionForm
      action="archive"
      consequences={
        status === 'suspended' ? (
          'It is suspended, so its agents are not asked to uninstall themselves: they are cut off at once. Nobody gets at what it has until it is restored.'
        ) : (
          <Consequences action="archive" orgId={id} />
        )
      }
      typedName={isNameNeeded ? name : undefined}
      error={archive.error}
      isPending={archive.isPending}
      isBlocked={!isKept && !isValid}
      onConfirm={() => archive.mutate(isKept ? null : days)}
      onClose={onClose}
    >
      <Radio.Group
        label="How long it is kept"
        value={isKept ? 'kept' : 'deleted'}
        onChange={(value) => setKept(value === 'kept')}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="deleted" label="Delete it for good after some days" />
          {!isKept && (
            <NumberInput
              ml={30}
              styles={{ wrapper: { maxWidth: 160 } }}
              label="Days"
              min={1}
              max={3650}
              clampBehavior="none"
              allowDecimal={false}
              value={daysText}
              onChange={setDaysText}
              error={isValid ? undefined : 'From 1 to 3,650 days'}
              description={
                isValid
                  ? `Deleted on ${dateOnly(new Date(now + days * dayMs).toISOString())}, with all it has`
                  : undefined
              }
            />
          )}
          <Radio value="kept" label="Keep it until somebody restores it" />
        </Stack>
      </Radio.Group>
    </ConfirmActionForm>
  )
}
