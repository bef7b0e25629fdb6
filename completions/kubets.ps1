# PowerShell completion for __PROGRAM__: asks the program (`__complete`), then follows its directive.

Register-ArgumentCompleter -Native -CommandName '__PROGRAM__' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $line = $commandAst.ToString()
    if ($line.Length -gt $cursorPosition) { $line = $line.Substring(0, $cursorPosition) }
    $words = @($line -split '\s+' | Where-Object { $_ -ne '' })
    $arguments = @($words | Select-Object -Skip 1)
    if ($wordToComplete -eq '') { $arguments += '' }
    # Windows PowerShell drops empty arguments unless they are quoted.
    if ($PSVersionTable.PSVersion.Major -lt 7) { $arguments = @($arguments | ForEach-Object { if ($_ -eq '') { '""' } else { $_ } }) }

    $reply = @(& $words[0] __complete @arguments 2>$null)
    if ($reply.Count -eq 0) { return }
    $directive = [int]($reply[-1].TrimStart(':'))
    if ($directive -band 1) { return }
    $flag = if ($wordToComplete -match '^-.*?=') { $Matches[0] } else { '' }
    $space = if ($directive -band 2) { '' } else { ' ' }

    foreach ($candidate in @($reply | Select-Object -SkipLast 1)) {
        $name, $description = $candidate -split "`t", 2
        if ($directive -band 8) { continue }
        if (-not $description) { $description = $name }
        [System.Management.Automation.CompletionResult]::new("$flag$name$space", $name, 'ParameterValue', $description)
    }
    # Nothing returned lets PowerShell complete files; an empty text stops it.
    if ($reply.Count -eq 1 -and ($directive -band 4)) { '' }
}
