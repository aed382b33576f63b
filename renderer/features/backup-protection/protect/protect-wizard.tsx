import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { BackupConfig } from '../../../../shared/api/backup-configs.ts'
import { storagesQuery } from '../../../data/backup-storages.ts'
import { KeepFields } from '../../../domain/backup-policies/keep-fields.tsx'
import {
  keepErrors,
  newPlan,
  notifyErrors,
  type PlanDraft,
  type PlanErrors,
  selectionOf,
  whatErrors,
  whenErrors,
} from '../../../domain/backup-policies/plan-draft.ts'
import { TryOnDevice } from '../../../domain/backup-policies/try-on-device.tsx'
import { WhatFields } from '../../../domain/backup-policies/what-fields.tsx'
import { WhenFields } from '../../../domain/backup-policies/when-fields.tsx'
import { firstChoice } from '../../../domain/backup-storage/appliance-store.ts'
import { can } from '../../../lib/permissions.ts'
import { useMe } from '../../../lib/session.ts'
import { useUnsavedChanges } from '../../../lib/unsaved-changes.ts'
import { focusFirstField } from '../../../ui/dialog-focus.ts'
import { DialogFooter } from '../../../ui/dialog-footer.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { useWizardSteps } from '../../../ui/wizard/use-wizard-steps.ts'
import { Wizard } from '../../../ui/wizard/wizard.tsx'
import { newTarget, type TargetDraft, TargetFields, targetError } from '../target-fields.tsx'
import { DoneStep } from './done-step.tsx'
import { SummaryStep } from './summary-step.tsx'

interface Props {
  org: { id: string; name: string }
  /** Preselected. */
  device?: { id: string; name: string }
  onClose: () => void
}

export function ProtectWizard(props: Props) {
  const maySeeStorage = can(useMe(), 'backup:read')
  const storages = useQuery({ ...storagesQuery(props.org.id), enabled: maySeeStorage })
  if (!maySeeStorage) return <Steps {...props} storages={null} />
  return (
    <Loaded of={storages} lines={6}>
      {(found) => <Steps {...props} storages={found} />}
    </Loaded>
  )
}

/** `storages` is null for people who may not see them; the policy then goes to the default storage. */
function Steps({ org, device, storages, onClose }: Props & { storages: readonly BackupConfig[] | null }) {
  const { step, back, next } = useWizardSteps(['what', 'when', 'keep', 'summary'])
  const { email } = useMe()
  const [target, setTarget] = useState<TargetDraft>(
    device ? { ...newTarget, level: 'device', deviceIds: [device.id] } : newTarget,
  )
  const [plan, setPlan] = useState<PlanDraft>(() => ({
    ...newPlan,
    storageId: storageFor(storages),
    emails: [email],
  }))
  const [isTried, setTried] = useState(false)
  const [protectedCount, setProtectedCount] = useState<number>()
  const isDone = protectedCount !== undefined
  const [isTouched, setTouched] = useState(false)
  useUnsavedChanges(isTouched && !isDone, 'Nothing is protected yet. Your choices will be lost if you close this.')
  const change = (part: Partial<PlanDraft>) => {
    setPlan((old) => ({ ...old, ...part }))
    setTouched(true)
  }
  const errors = { what: whatErrors, when: whenErrors, keep: keepErrors, summary: notifyErrors }[step](plan)
  const problem = step === 'what' ? targetError(target) : undefined
  const goOn = () => {
    const isRight = Object.keys(errors).length === 0 && problem === undefined
    setTried(!isRight)
    if (isRight) next()
  }
  const shownErrors: PlanErrors = isTried ? errors : {}
  const fields = { draft: plan, errors: shownErrors, onChange: change }
  if (isDone) return <DoneStep org={org} target={target} count={protectedCount} onClose={onClose} />
  return (
    <Wizard
      label="Steps"
      order={3}
      current={step}
      steps={[
        {
          name: 'what',
          label: 'What',
          title: 'Which devices, and what of them?',
          content: (
            <Step isFirst onBack={back} onNext={goOn}>
              <TargetFields
                orgId={org.id}
                orgName={org.name}
                target={target}
                error={isTried ? problem : undefined}
                {...(device && { names: new Map([[device.id, device.name]]) })}
                onChange={(part) => {
                  setTarget((old) => ({ ...old, ...part }))
                  setTouched(true)
                }}
              />
              <WhatFields {...fields} />
              <TryOnDevice
                orgId={org.id}
                selection={selectionOf(plan)}
                isRight={Object.keys(whatErrors(plan)).length === 0}
                {...(device && { deviceId: device.id })}
              />
            </Step>
          ),
        },
        {
          name: 'when',
          label: 'When',
          title: 'When are backups made?',
          content: (
            <Step onBack={back} onNext={goOn}>
              <WhenFields {...fields} />
            </Step>
          ),
        },
        {
          name: 'keep',
          label: 'How long',
          title: 'How long are backups kept?',
          content: (
            <Step onBack={back} onNext={goOn}>
              <KeepFields {...fields} />
            </Step>
          ),
        },
        {
          name: 'summary',
          label: 'Where',
          title: 'Where to?',
          content: (
            <SummaryStep
              org={org}
              target={target}
              plan={plan}
              storages={storages}
              errors={errors}
              onChange={change}
              onBack={back}
              onDone={setProtectedCount}
            />
          ),
        },
      ]}
    />
  )
}

/** The default storage where there is one; else the best there is. */
function storageFor(storages: readonly BackupConfig[] | null): string | null {
  const best = firstChoice(storages ?? [])
  return !best || best.isDefault ? null : best.id
}

interface StepProps {
  isFirst?: boolean
  onBack: () => void
  onNext: () => void
  children: ReactNode
}

/** Enter goes on. */
function Step({ isFirst, onBack, onNext, children }: StepProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onNext()
  }
  return (
    <form ref={focusFirstField} onSubmit={submit} noValidate>
      <Stack>
        {children}
        <DialogFooter
          otherwise={
            !isFirst && (
              <Button variant="default" onClick={onBack}>
                Back
              </Button>
            )
          }
        >
          <Button type="submit">Continue</Button>
        </DialogFooter>
      </Stack>
    </form>
  )
}
