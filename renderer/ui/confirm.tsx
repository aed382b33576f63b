import { randomId } from '@mantine/hooks'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ConfirmForm, type ConfirmTexts } from './confirm-form.tsx'

interface Question extends ConfirmTexts {
  title: string
  /** What is confirmed. The dialog stays until it is done, and shows why it failed. */
  run?: () => Promise<unknown>
}

/** Resolves to true once it is confirmed and, with `run`, done; closing means no. */
export const askToConfirm = ({ title, run, ...texts }: Question) =>
  new Promise<boolean>((resolve) => {
    const modalId = randomId('confirm-')
    const close = () => modals.close(modalId)
    const finish = () => {
      resolve(true)
      close()
    }
    modals.open({
      modalId,
      title,
      onClose: () => resolve(false),
      children: run ? (
        <RunForm {...texts} modalId={modalId} run={run} onDone={finish} onCancel={close} />
      ) : (
        <ConfirmForm {...texts} onConfirm={finish} onCancel={close} />
      ),
    })
  })

interface RunProps extends ConfirmTexts {
  modalId: string
  run: () => Promise<unknown>
  onDone: () => void
  onCancel: () => void
}

function RunForm({ modalId, run, onDone, ...props }: RunProps) {
  const { mutate, isPending, error } = useMutation({ mutationFn: run, onSuccess: onDone })
  useEffect(() => {
    modals.updateModal({
      modalId,
      closeOnEscape: !isPending,
      closeOnClickOutside: !isPending,
      withCloseButton: !isPending,
    })
  }, [modalId, isPending])
  return <ConfirmForm {...props} isPending={isPending} error={error} onConfirm={() => mutate()} />
}
