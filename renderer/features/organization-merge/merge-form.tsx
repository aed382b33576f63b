import { useState } from 'react'
import type { Organization } from '../../../shared/api/organizations.ts'
import { useWizardSteps } from '../../ui/wizard/use-wizard-steps.ts'
import { Wizard } from '../../ui/wizard/wizard.tsx'
import { MergeChoice, type Survivor } from './merge-choice.tsx'
import { MergeConfirm } from './merge-confirm.tsx'
import { MergeRunStatus } from './merge-run-status.tsx'

interface Props {
  organization: Organization
  onClose: () => void
}

/** Steps of a merge: choose with a preview, confirm, follow. */
export function MergeForm({ organization, onClose }: Props) {
  const [survivor, setSurvivor] = useState<Survivor | null>(null)
  const [jobId, setJobId] = useState<string | null>(null)
  const { step, goTo, back, next } = useWizardSteps(['choose', 'confirm', 'follow'])
  const start = (startedJobId: string) => {
    setJobId(startedJobId)
    next()
  }
  return (
    <Wizard
      label="Merge progress"
      order={3}
      current={step}
      steps={[
        {
          name: 'choose',
          label: 'Choose',
          title: 'Choose the target',
          content: (
            <MergeChoice
              organization={organization}
              survivor={survivor}
              onChoose={setSurvivor}
              onNext={next}
              onClose={onClose}
            />
          ),
        },
        {
          name: 'confirm',
          label: 'Confirm',
          title: 'Confirm the merge',
          content: survivor && (
            <MergeConfirm organization={organization} survivor={survivor} onBack={back} onStarted={start} />
          ),
        },
        {
          name: 'follow',
          label: 'Merge',
          title: 'Merge progress',
          content: jobId && <MergeRunStatus jobId={jobId} onAgain={() => goTo('choose')} onClose={onClose} />,
        },
      ]}
    />
  )
}
