import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Partner } from '../../../shared/api/partners.ts'
import { changePartner } from '../../data/partners.ts'
import { notifyDone } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type PartnerStatusValue, partnerStatuses, statuses } from './partner-labels.ts'

/** Status of the partner, and what another status would do; each is confirmed first. */
export function StatusPanel({ partner, isEditable }: { partner: Partner; isEditable: boolean }) {
  const { id, name, status, offboardingStartedAt } = partner
  const [chosen, setChosen] = useState<PartnerStatusValue | null>(null)
  const change = useMutation({
    ...changePartner(id),
    onSuccess: async (saved) => {
      notifyDone(`${saved.name}: ${statuses[saved.status].word.toLowerCase()}`)
      await changePartner(id).onSuccess(saved)
    },
  })
  const selected = chosen ?? status
  const ask = async () => {
    const { question, effect, confirm } = statuses[selected]
    const isChanged = await askToConfirm({
      title: question(name),
      consequences: effect,
      confirm,
      isHarmless: selected === 'active' || selected === 'pending',
      run: () => change.mutateAsync({ status: selected }),
    })
    if (isChanged) setChosen(null)
  }
  return (
    <Panel title="Status">
      <Stack gap="sm">
        {status === 'offboarding' && offboardingStartedAt && (
          <Text size="sm">
            Closing since <RelativeTime at={offboardingStartedAt} />.
          </Text>
        )}
        <Radio.Group
          aria-label="Status"
          data-read-only={!isEditable || undefined}
          readOnly={!isEditable}
          value={selected}
          onChange={(next) => setChosen(partnerStatuses.find((one) => one === next) ?? null)}
        >
          <Stack gap="xs">
            {partnerStatuses.map((one) => (
              <Radio key={one} value={one} label={statuses[one].word} description={statuses[one].meaning} />
            ))}
          </Stack>
        </Radio.Group>
        {isEditable && (
          <Group>
            <Button variant="default" loading={change.isPending} disabled={selected === status} onClick={ask}>
              Change status…
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  )
}
