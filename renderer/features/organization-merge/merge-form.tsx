import { useState } from 'react'
import type { Organization } from '../../../shared/api/organizations.ts'
import { MergeChoice, type Survivor } from './merge-choice.tsx'
import { MergeConfirm } from './merge-confirm.tsx'
import { MergeRunStatus } from './merge-run-status.tsx'

type Step = 'choose' | 'confirm' | { jobId: string }

interface Props {
  organization: Organization
  onClose: () => void
}

/** Steps of a merge: choose with a preview, confirm, follow. */
export function MergeForm({ organization, onClose }: Props) {
  const [survivor, setSurvivor] = useState<Survivor | null>(null)
  const [step, setStep] = useState<Step>('choose')
  if (typeof step === 'object')
    return <MergeRunStatus jobId={step.jobId} onAgain={() => setStep('choose')} onClose={onClose} />
  if (step === 'confirm' && survivor) {
    return (
      <MergeConfirm
        organization={organization}
        survivor={survivor}
        onBack={() => setStep('choose')}
        onStarted={(jobId) => setStep({ jobId })}
      />
    )
  }
  return (
    <MergeChoice
      organization={organization}
      survivor={survivor}
      onChoose={setSurvivor}
      onNext={() => setStep('confirm')}
      onClose={onClose}
    />
  )
}
