import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import type { Me } from '../../../shared/api/profile.ts'
import { changeProfile } from '../../data/profile.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { preferencesOf } from '../../lib/session.ts'
import { HiddenColumnsContext } from '../../ui/data-table/column-choice.ts'

/**
 * Keeps the hidden columns of all tables with the account, so that they are the same in every browser.
 * What was chosen here holds until the page is loaded again: an answer of the server may be older.
 */
export function HiddenColumnsProvider({ me, children }: { me: Me; children: ReactNode }) {
  const { mutate } = useMutation({ ...changeProfile, scope: { id: 'hidden-columns' } })
  const [chosen, setChosen] = useState<Readonly<Record<string, string[]>>>({})
  const value = useMemo(() => {
    const kept = { ...preferencesOf(me).hiddenColumns, ...chosen }
    return {
      kept,
      keep: (table: string, hidden: readonly string[]) => {
        setChosen({ ...chosen, [table]: [...hidden] })
        mutate(
          { preferences: { hiddenColumns: { ...kept, [table]: [...hidden] } } },
          { onError: notifyFailed('The columns weren’t saved') },
        )
      },
    }
  }, [me, chosen, mutate])
  return <HiddenColumnsContext value={value}>{children}</HiddenColumnsContext>
}
