import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import type { Me } from '../../../shared/api/profile.ts'
import { changeProfile } from '../../data/profile.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { preferencesOf } from '../../lib/session.ts'
import { HiddenColumnsContext } from '../../ui/data-table/column-choice.ts'

/** Keeps the hidden columns of all tables with the account, so that they are the same in every browser. */
export function HiddenColumnsProvider({ me, children }: { me: Me; children: ReactNode }) {
  const { mutate } = useMutation({ ...changeProfile, scope: { id: 'hidden-columns' } })
  const value = useMemo(() => {
    const kept = preferencesOf(me).hiddenColumns ?? {}
    return {
      kept,
      keep: (table: string, hidden: readonly string[]) =>
        mutate(
          { preferences: { hiddenColumns: { ...kept, [table]: [...hidden] } } },
          { onError: notifyFailed('The columns weren’t saved') },
        ),
    }
  }, [me, mutate])
  return <HiddenColumnsContext value={value}>{children}</HiddenColumnsContext>
}
