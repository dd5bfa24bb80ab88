<?php
namespace HeadlessContent;

defined('ABSPATH') || exit;

/** A failure with a message for the log. */
class Failure extends \RuntimeException
{
    /** True if a retry may help. */
    public bool $passes;

    public function __construct(string $message, bool $passes = true)
    {
        parent::__construct($message);
        $this->passes = $passes;
    }
}
