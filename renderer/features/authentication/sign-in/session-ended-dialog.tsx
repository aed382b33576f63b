import { Modal } from '@mantine/core'
import type { SessionEndReason } from '../../../lib/api.ts'
import { usePageSuspension } from '../../../lib/suspended-page.ts'
import { useExclusiveEscape } from '../../../lib/use-exclusive-escape.ts'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import { SkeletonLines } from '../../../ui/states.tsx'

const ResumeSession = lazyPart<{ reason: SessionEndReason }>(
  'resume-session',
  () => import('./resume-session.tsx').then((code) => code.ResumeSession),
  <SkeletonLines count={4} />,
)

/** Lies over a page with unsaved changes whose session ended, until its user signs in again or discards them. */
export function SessionEndedDialog() {
  const reason = usePageSuspension()
  useExclusiveEscape(reason !== null, () => {})
  return (
    <Modal
      opened={reason !== null}
      onClose={() => {}}
      title="Your session has ended"
      zIndex={400}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      {reason && <ResumeSession reason={reason} />}
    </Modal>
  )
}
