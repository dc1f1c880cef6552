import { DatabaseBackup, Scale, ShieldCheck, Terminal } from 'lucide-react'

const facts = [
  ['One command, no services', Terminal],
  ['No visitor address kept', ShieldCheck],
  ['Backups while it runs', DatabaseBackup],
  ['MIT, open source', Scale],
] as const

/** Hoplet as software that people run themselves. */
export function OwnMachine() {
  return (
    <section
      aria-labelledby="own-machine"
      className="grid overflow-hidden rounded-2xl bg-[#1c1712] text-[#fbf8f2] dark:border dark:border-line md:grid-cols-2"
    >
      <div className="p-5 sm:p-6">
        <h2 id="own-machine" className="text-xl font-semibold tracking-tight">
          Yours, on your machine
        </h2>
        <ul className="mt-4 grid gap-x-6 gap-y-2.5 text-sm sm:grid-cols-2">
          {facts.map(([text, Icon]) => (
            <li key={text} className="flex items-center gap-3">
              <Icon size={18} aria-hidden className="shrink-0 text-[#f97a2b]" />
              {text}
            </li>
          ))}
        </ul>
      </div>
      <pre className="grid content-center bg-[#0d0a08] wrap-anywhere whitespace-pre-wrap p-5 font-mono text-sm leading-7 sm:p-6">
        <code>
          <span className="text-[#a09586]">$</span> npm start{'\n'}
          <span className="text-[#8fcf9d]">Hoplet is ready:</span> http://127.0.0.1:3000
        </code>
      </pre>
    </section>
  )
}
